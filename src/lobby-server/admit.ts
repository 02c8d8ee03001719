import { Observable } from 'rxjs';
import type { Candidate } from './candidate.js';
import { createConfirmations } from './confirmations.js';
import { createLobbySocket } from './create-lobby-socket.js';
import type { GateSettings } from './gate-settings.js';
import type { LobbySocket } from './lobby-socket.js';
import { REFUSALS } from './refusals.js';
import { runHook } from './run-hook.js';
import type { SocketClosed } from './socket-closed.js';

/** Far longer than any token, and not worth asking the service about. */
const LONGEST = 8_192;

/** Has a candidate's token confirmed: emits his socket once he is in, and completes; only completes where he is rejected. */
export type Admit = (candidate: Candidate, token: string) => Observable<LobbySocket>;

export function createAdmit(settings: GateSettings): Admit {
  const { log, scheduler } = settings;
  const { confirm, release } = createConfirmations(settings, token => runHook('onUnknown', token, settings));

  const gone = (token: string, { address }: Candidate, closed?: SocketClosed) => {
    release(token);
    log({ kind: 'gone', at: scheduler.now(), address, ...closed });
    runHook('onGone', token, settings);
  };
  const letIn = (token: string, candidate: Candidate): LobbySocket | undefined => {
    const connection = candidate.accept();
    if (!connection) {
      gone(token, candidate);
      return undefined;
    }
    connection.closed$.subscribe(closed => gone(token, candidate, closed));
    return createLobbySocket(token, connection, candidate);
  };

  return (candidate, token) =>
    new Observable<LobbySocket>(subscriber => {
      // A hook may have left the gate.
      if (subscriber.closed) return candidate.reject(REFUSALS.closing);
      if (token === '' || token.length > LONGEST) {
        candidate.reject(REFUSALS.noToken);
        return subscriber.complete();
      }
      subscriber.add(() => candidate.reject(REFUSALS.closing));
      // Not given up with the gate: where the service says OK to a player who has gone, his slot has to be freed.
      confirm(token).subscribe(refusal => {
        if (refusal) candidate.reject(refusal);
        const socket = refusal ? undefined : letIn(token, candidate);
        if (socket) {
          subscriber.next(socket);
          log({ kind: 'admitted', at: scheduler.now(), address: candidate.address });
        }
        subscriber.complete();
      });
    });
}
