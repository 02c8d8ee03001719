import { Observable } from 'rxjs';
import { createConfirmations } from './confirmations.js';
import { createLobbySocket } from './create-lobby-socket.js';
import type { GateSettings } from './gate-settings.js';
import type { LobbySocket } from './lobby-socket.js';
import { REFUSALS } from './refusals.js';
import { runHook } from './run-hook.js';
import type { Visitor } from './visitor.js';

/** Far longer than any token, which is not worth asking the service about. */
const LONGEST = 8_192;

/** Where tokens are confirmed. */
export interface Admissions {
  /** Emits a visitor's socket once he is in, and completes; only completes where he was turned away. */
  readonly admit: (visitor: Visitor, token: string) => Observable<LobbySocket>;
}

export function createAdmissions(settings: GateSettings): Admissions {
  const { log, scheduler } = settings;
  const { confirm, release } = createConfirmations(settings, token => runHook('onUnknown', token, settings));

  const seeOff = (token: string, { address }: Visitor) => {
    release(token);
    log({ kind: 'gone', at: scheduler.now(), address });
    runHook('onGone', token, settings);
  };
  const letIn = (token: string, visitor: Visitor): LobbySocket | undefined => {
    const line = visitor.enter();
    if (!line) {
      seeOff(token, visitor);
      return undefined;
    }
    log({ kind: 'admitted', at: scheduler.now(), address: visitor.address });
    line.closed$.subscribe(() => seeOff(token, visitor));
    return createLobbySocket(token, line, visitor);
  };

  return {
    admit: (visitor, token) =>
      new Observable<LobbySocket>(subscriber => {
        if (token === '' || token.length > LONGEST) {
          visitor.turnAway(REFUSALS.noToken);
          return subscriber.complete();
        }
        // Not given up with the gate: where the service says OK to a player who has gone, his slot has to be freed.
        confirm(token).subscribe(refusal => {
          if (refusal) visitor.turnAway(refusal);
          const socket = refusal ? undefined : letIn(token, visitor);
          if (socket) subscriber.next(socket);
          subscriber.complete();
        });
        return () => visitor.turnAway(REFUSALS.closing);
      }),
  };
}
