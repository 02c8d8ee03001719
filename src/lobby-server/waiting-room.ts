import { defer, EMPTY, finalize, map, mergeMap, take, timeout, type Observable } from 'rxjs';
import type { Admissions } from './admissions.js';
import type { GateSettings } from './gate-settings.js';
import type { LobbyMessage } from './lobby-message.js';
import type { LobbySocket } from './lobby-socket.js';
import { lineVisitor } from './line-visitor.js';
import { REFUSALS } from './refusals.js';
import type { Visitor } from './visitor.js';

/** Where visitors wait who are to say their token themselves. */
export interface WaitingRoom {
  /** Opens a visitor's socket, takes its first message for the token, and has it confirmed. */
  readonly hear: (visitor: Visitor) => Observable<LobbySocket>;
}

export function createWaitingRoom(settings: GateSettings, { admit }: Admissions): WaitingRoom {
  const { deadline, firstMessage, log, maxWaiting, scheduler } = settings;
  let waiting = 0;

  const tokenOf = (message: LobbyMessage): string => {
    if (typeof message !== 'string') return '';
    try {
      return firstMessage?.(message) ?? '';
    } catch (error) {
      log({ kind: 'hook_failed', at: scheduler.now(), hook: 'firstMessage', error });
      return '';
    }
  };

  return {
    hear: visitor =>
      defer(() => {
        if (waiting >= maxWaiting) visitor.turnAway(REFUSALS.busy);
        const line = visitor.enter();
        if (!line) return EMPTY;
        const inside = lineVisitor(line, visitor, settings);
        waiting++;
        return line.message$.pipe(
          take(1),
          timeout({
            first: deadline,
            scheduler,
            with: () => {
              inside.turnAway(REFUSALS.late);
              return EMPTY;
            },
          }),
          finalize(() => waiting--),
          map(tokenOf),
          mergeMap(token => admit(inside, token)),
          // Where the gate is left while he waits.
          finalize(() => inside.turnAway(REFUSALS.closing)),
        );
      }),
  };
}
