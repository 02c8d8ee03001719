import {
  defer,
  EMPTY,
  filter,
  finalize,
  map,
  mergeMap,
  take,
  takeUntil,
  tap,
  timeout,
  type Observable,
} from 'rxjs';
import { readOr, type Guard } from '../../../error/index.js';
import { callHook } from '../call-hook.js';
import type { GateSettings } from '../lobby-gate-config.js';
import type { LobbyMessage, LobbySocket } from '../lobby-socket.js';
import { toCloseReason, type Connection } from '../socket/index.js';
import { createPendingSocket, type PendingSocket, type Responder } from './pending-socket.js';
import type { GatePlaces } from './places.js';
import { REFUSALS } from './refusal.js';
import type { TokenAdmission } from './token-admission.js';

/** How long the first message may take, in ms. */
const FIRST_MESSAGE_TIMEOUT = 5_000;

/** How many bytes a client may send until its first message is complete. */
const MAX_FIRST_MESSAGE = 16_384;

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** Opens a client's socket, takes the token from its first message, and admits it by that token. */
export function createFirstMessageAdmission(
  extractToken: (text: string) => string | undefined,
  settings: GateSettings,
  { waiting }: Pick<GatePlaces, 'waiting'>,
  admit: TokenAdmission,
): (pending: PendingSocket) => Observable<LobbySocket> {
  const { scheduler } = settings;

  const tokenOf = (message: LobbyMessage): string => {
    // Some engines send binary messages only.
    const text = typeof message === 'string' ? message : readOr('', () => UTF_8.decode(message));
    return callHook('firstMessage', () => extractToken(text), optionalString, settings) ?? '';
  };

  return upgrading =>
    defer(() => {
      if (!waiting.isFreeFor(upgrading.address)) {
        upgrading.reject(REFUSALS.busy);
        return EMPTY;
      }
      const connection = upgrading.accept();
      if (!connection) return EMPTY;
      const pending = createPendingSocket(upgrading, respondByCloseFrame(connection), settings);
      // The message may come in small pieces, each of which costs more than its bytes.
      const tooLarge$ = connection.bytesReceived$.pipe(
        filter(bytes => bytes > MAX_FIRST_MESSAGE),
        tap(() => pending.reject(REFUSALS.tooLarge)),
      );
      const firstMessage$ = connection.message$.pipe(
        take(1),
        timeout({
          first: FIRST_MESSAGE_TIMEOUT,
          scheduler,
          with: () => {
            pending.reject(REFUSALS.noTokenInTime);
            return EMPTY;
          },
        }),
        takeUntil(tooLarge$),
      );
      return firstMessage$.pipe(
        finalize(waiting.take(upgrading.address)),
        map(tokenOf),
        mergeMap(token => admit(pending, token)),
        // For the case that the gate is unsubscribed from while it is waiting for the message.
        finalize(() => pending.reject(REFUSALS.gateClosed)),
      );
    });
}

function respondByCloseFrame(connection: Connection): Responder {
  return {
    isConnected: () => connection.isOpen,
    accept: () => connection,
    reject: ({ code, reason, retryAfter = 1 }) => {
      // A close frame has no header for it.
      const wait = retryAfter > 1 ? `; retry-after=${retryAfter}` : '';
      connection.closeOrTerminate(code, toCloseReason(reason + wait));
      return code;
    },
  };
}

const optionalString: Guard<string | undefined> = {
  name: 'a string or undefined',
  is: (u): u is string | undefined => u === undefined || typeof u === 'string',
};
