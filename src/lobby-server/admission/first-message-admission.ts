import { defer, EMPTY, finalize, map, mergeMap, take, timeout, type Observable } from 'rxjs';
import { hookFailed } from '../gate-log-entry.js';
import type { GateSettings } from '../lobby-gate-config.js';
import type { LobbyMessage, LobbySocket } from '../lobby-socket.js';
import { isCloseReason, type Connection } from '../socket/index.js';
import { createPendingSocket, type PendingSocket, type Responder } from './pending-socket.js';
import { REFUSALS } from './refusal.js';
import type { TokenAdmission } from './token-admission.js';

/** Opens the client's socket, takes the token from its first message, and admits it by that token. */
export type FirstMessageAdmission = (pending: PendingSocket) => Observable<LobbySocket>;

export function createFirstMessageAdmission(
  extractToken: (text: string) => string | undefined,
  settings: GateSettings,
  admit: TokenAdmission,
): FirstMessageAdmission {
  const { firstMessageDeadline, log, maxWaiting, scheduler } = settings;
  let waiting = 0;

  const tokenOf = (message: LobbyMessage): string => {
    if (typeof message !== 'string') return '';
    try {
      return extractToken(message) ?? '';
    } catch (error) {
      log(hookFailed('firstMessage', error, scheduler.now()));
      return '';
    }
  };

  return upgrading =>
    defer(() => {
      if (waiting >= maxWaiting) {
        upgrading.reject(REFUSALS.busy);
        return EMPTY;
      }
      const connection = upgrading.accept();
      if (!connection) return EMPTY;
      const pending = createPendingSocket(upgrading, respondByCloseFrame(connection), settings);
      waiting++;
      return connection.message$.pipe(
        take(1),
        timeout({
          first: firstMessageDeadline,
          scheduler,
          with: () => {
            pending.reject(REFUSALS.noTokenInTime);
            return EMPTY;
          },
        }),
        finalize(() => waiting--),
        map(tokenOf),
        mergeMap(token => admit(pending, token)),
        // For the case that the gate is unsubscribed from while it is waiting for the message.
        finalize(() => pending.reject(REFUSALS.gateClosed)),
      );
    });
}

function respondByCloseFrame(connection: Connection): Responder {
  return {
    isConnected: connection.isOpen,
    accept: () => connection,
    reject: ({ code, reason }) => {
      // The reason may be any error code of the service, of any length.
      connection.closeOrTerminate(code, isCloseReason(reason) ? reason : 'refused');
      return code;
    },
  };
}
