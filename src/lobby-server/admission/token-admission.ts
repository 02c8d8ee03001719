import { catchError, defer, EMPTY, Observable } from 'rxjs';
import { toInput } from '../../stream/index.js';
import { hookFailed } from '../gate-log-entry.js';
import type { GateSettings } from '../lobby-gate-config.js';
import type { LobbySocket, SocketClosed } from '../lobby-socket.js';
import type { Connection } from '../socket/index.js';
import type { PendingSocket, RequestDetails } from './pending-socket.js';
import { REFUSALS } from './refusal.js';
import { createTokenConfirmation } from './token-confirmation.js';

/** Much longer than any token of the service. */
const MAX_TOKEN_LENGTH = 8_192;

/** Confirms the token. If it is valid, emits the player's socket and completes; otherwise rejects the client and completes. */
export type TokenAdmission = (pending: PendingSocket, token: string) => Observable<LobbySocket>;

export function createTokenAdmission(settings: GateSettings): TokenAdmission {
  const { log, scheduler } = settings;
  const { confirm, release } = createTokenConfirmation(settings, token =>
    runHook('onUnknown', token, settings),
  );

  const gone = (token: string, { address }: PendingSocket, closed?: SocketClosed) => {
    release(token);
    log({ kind: 'gone', at: scheduler.now(), address, ...closed });
    runHook('onGone', token, settings);
  };
  const accept = (pending: PendingSocket, token: string): LobbySocket | undefined => {
    const connection = pending.accept();
    if (!connection) {
      gone(token, pending);
      return undefined;
    }
    connection.closed$.subscribe(closed => gone(token, pending, closed));
    return lobbySocket(token, connection, pending);
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
      confirm(token).subscribe(refusal => {
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
  { address, url, headers }: RequestDetails,
): LobbySocket {
  const socket = {
    ...{ address, url, message$, closed$, send, close },
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

/** Calls a hook and subscribes to what it returns. If it fails, that is only logged. */
function runHook(
  name: 'onGone' | 'onUnknown',
  token: string,
  { log, scheduler, ...settings }: GateSettings,
): void {
  defer(() => toInput(settings[name](token)))
    .pipe(
      catchError((error: unknown) => {
        log(hookFailed(name, error, scheduler.now()));
        return EMPTY;
      }),
    )
    .subscribe();
}
