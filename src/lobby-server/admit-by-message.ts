import { defer, EMPTY, finalize, map, mergeMap, take, timeout, type Observable } from 'rxjs';
import type { Admit } from './admit.js';
import { createCandidate, type Candidate, type CandidateWays } from './candidate.js';
import type { Connection } from './connection.js';
import { errorText } from './error-text.js';
import type { GateSettings } from './gate-settings.js';
import type { LobbyMessage } from './lobby-message.js';
import type { LobbySocket } from './lobby-socket.js';
import { REFUSALS } from './refusals.js';

/** Opens a candidate's socket, takes its first message for the token, and admits him by it. */
export type AdmitByMessage = (candidate: Candidate) => Observable<LobbySocket>;

export function createAdmitByMessage(
  tokenIn: (text: string) => string | undefined,
  settings: GateSettings,
  admit: Admit,
): AdmitByMessage {
  const { firstMessageDeadline, log, maxWaiting, scheduler } = settings;
  let waiting = 0;

  const tokenOf = (message: LobbyMessage): string => {
    if (typeof message !== 'string') return '';
    try {
      return tokenIn(message) ?? '';
    } catch (error) {
      log({ kind: 'hook_failed', at: scheduler.now(), hook: 'firstMessage', error: errorText(error) });
      return '';
    }
  };

  return arrived =>
    defer(() => {
      if (waiting >= maxWaiting) {
        arrived.reject(REFUSALS.busy);
        return EMPTY;
      }
      const connection = arrived.accept();
      if (!connection) return EMPTY;
      const candidate = createCandidate(arrived, waysOf(connection), settings);
      waiting++;
      return connection.message$.pipe(
        take(1),
        timeout({
          first: firstMessageDeadline,
          scheduler,
          with: () => {
            candidate.reject(REFUSALS.late);
            return EMPTY;
          },
        }),
        finalize(() => waiting--),
        map(tokenOf),
        mergeMap(token => admit(candidate, token)),
        // Where the gate is left while he is waited for.
        finalize(() => candidate.reject(REFUSALS.closing)),
      );
    });
}

function waysOf(connection: Connection): CandidateWays {
  return {
    isThere: connection.isOpen,
    accept: () => connection,
    reject: ({ code, reason }) => {
      // A reason may be whatever code the service has, and a close frame has little room.
      connection.closeFirmly(code, Buffer.byteLength(reason) > 123 ? 'refused' : reason);
      return code;
    },
  };
}
