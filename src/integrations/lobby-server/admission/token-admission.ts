import type { IncomingHttpHeaders } from 'node:http';
import { map, Observable } from 'rxjs';
import { redact } from '../../../error/index.js';
import type { GateSettings } from '../lobby-gate-config.js';
import type { LobbyMessage, LobbySocket, SocketClosed } from '../lobby-socket.js';
import { toCloseReason, type Connection } from '../socket/index.js';
import type { PendingSocket, RequestDetails } from './pending-socket.js';
import { REFUSALS } from './refusal.js';
import type { TokenConfirmation } from './token-confirmation.js';

/** Much longer than any token of the service. */
const MAX_TOKEN_LENGTH = 8_192;

/** Confirms the token. If it is valid, emits the player's socket and completes; otherwise rejects the client and completes. */
export type TokenAdmission = (pending: PendingSocket, token: string) => Observable<LobbySocket>;

export function createTokenAdmission(
  { log, scheduler }: Pick<GateSettings, 'log' | 'scheduler'>,
  { confirm, release }: TokenConfirmation,
): TokenAdmission {
  const gone = (token: string, address: string, closed?: SocketClosed) => {
    log({ kind: 'gone', at: scheduler.now(), address, ...closed });
    release(token);
  };
  // A function of its own: what listens to a socket must not hold on to its request.
  const goneWhenClosed = ({ token, address, closed$ }: LobbySocket) =>
    closed$.subscribe(closed => gone(token, address, closed));
  const accept = (pending: PendingSocket, token: string): LobbySocket | undefined => {
    const connection = pending.accept();
    if (!connection) {
      gone(token, pending.address);
      return undefined;
    }
    const socket = new PlayerSocket(token, connection, pending);
    goneWhenClosed(socket);
    return socket;
  };

  return (pending, token) =>
    new Observable<LobbySocket>(subscriber => {
      // A hook may have unsubscribed from the gate.
      if (subscriber.closed) return pending.reject(REFUSALS.gateClosed);
      if (token === '' || token.length > MAX_TOKEN_LENGTH) {
        pending.reject(REFUSALS.noToken);
        return subscriber.complete();
      }
      subscriber.add(() => pending.reject(REFUSALS.gateClosed));
      // Not unsubscribed with the gate: if the service confirms a player who has left, their slot has to be freed.
      confirm(token, pending.address).subscribe(refusal => {
        if (refusal) pending.reject(refusal);
        const socket = refusal ? undefined : accept(pending, token);
        if (socket) {
          subscriber.next(socket);
          log({ kind: 'admitted', at: scheduler.now(), address: pending.address });
        }
        subscriber.complete();
      });
    });
}

/** The public socket of an admitted player. Private fields are not printed, nor is what only its class has. */
class PlayerSocket implements LobbySocket {
  readonly address: string;
  readonly url: string;
  readonly message$: Observable<LobbyMessage>;
  readonly closed$: Observable<SocketClosed>;
  readonly send: LobbySocket['send'];
  readonly close: LobbySocket['close'];
  readonly terminate: LobbySocket['terminate'];
  readonly #token: string;
  readonly #headers: IncomingHttpHeaders;
  readonly #connection: Connection;
  #searchParams: URLSearchParams | undefined;

  constructor(token: string, connection: Connection, { address, url, headers }: RequestDetails) {
    // A client may repeat its token anywhere: in a cookie, in the URL of its page, as the reason of its leaving.
    const clean = (text: string) => redact(text, [token]);
    this.#token = token;
    this.#connection = connection;
    this.#headers = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map(clean) : value && clean(value),
      ]),
    );
    this.address = address;
    this.url = clean(url);
    this.message$ = connection.message$;
    this.closed$ = connection.closed$.pipe(
      map(({ code, reason }) => ({ code, reason: toCloseReason(reason, token) })),
    );
    this.send = message => connection.send(message);
    this.close = (code, reason) => connection.close(code, reason);
    this.terminate = () => connection.terminate();
  }

  get token(): string {
    return this.#token;
  }

  get headers(): IncomingHttpHeaders {
    return this.#headers;
  }

  get searchParams(): URLSearchParams {
    // Not `new URL`, which throws on some paths that requests may have.
    return (this.#searchParams ??= new URLSearchParams(this.url.split(/\?(.*)/s, 2)[1]));
  }

  get bufferedAmount(): number {
    return this.#connection.bufferedAmount;
  }

  toJSON(): object {
    const { address, url } = this;
    return { address, url };
  }
}
