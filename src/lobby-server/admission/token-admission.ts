import { map, Observable } from 'rxjs';
import { redact } from '../../error/index.js';
import type { GateSettings } from '../lobby-gate-config.js';
import type { LobbySocket, SocketClosed } from '../lobby-socket.js';
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
  const gone = (token: string, { address }: PendingSocket, closed?: SocketClosed) => {
    log({ kind: 'gone', at: scheduler.now(), address, ...closed });
    release(token);
  };
  const accept = (pending: PendingSocket, token: string): LobbySocket | undefined => {
    const connection = pending.accept();
    if (!connection) {
      gone(token, pending);
      return undefined;
    }
    const socket = lobbySocket(token, connection, pending);
    socket.closed$.subscribe(closed => gone(token, pending, closed));
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

/** Creates the public socket of an admitted player. */
function lobbySocket(
  token: string,
  { message$, closed$, send, close, bufferedAmount }: Connection,
  { address, ...request }: RequestDetails,
): LobbySocket {
  // A client may repeat its token anywhere: in a cookie, in the URL of its page, as the reason of its leaving.
  const clean = (text: string) => redact(text, [token]);
  const url = clean(request.url);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(clean) : value && clean(value),
    ]),
  );
  const socket = {
    ...{ address, url, message$, send, close },
    closed$: closed$.pipe(map(({ code, reason }) => ({ code, reason: toCloseReason(reason, token) }))),
    // Not `new URL`, which throws on some paths that requests may have.
    searchParams: new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : ''),
    get bufferedAmount() {
      return bufferedAmount();
    },
  };
  // Not enumerable, so that they are not printed.
  return Object.defineProperties(socket, {
    token: { get: () => token },
    headers: { get: () => headers },
    toJSON: { value: () => ({ address, url }) },
  }) as LobbySocket;
}
