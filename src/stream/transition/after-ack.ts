import { resumePoint } from '../resume-point.js';
import type { Checkpoint, Gap } from '../watch-signal.js';
import { rested } from './pace.js';
import { resumedPosition } from './position.js';
import type { DueGap, Position, Transition, Turn, WatchState } from './watch-state.js';

/**
 * The state after `ack` has failed. Then `transition` treats it as a failure, with a backoff. The
 * answer is requested again, as if it had not come. But the service was heard from, and the gap
 * before the answer was emitted.
 */
export function stateAfterFailedAck<A>(
  { state, settings }: Turn<A>,
  acknowledging: Transition<A>,
): WatchState {
  const { position } = state;
  const due = dueAfter(position, acknowledging.delivery?.gap, settings.redelivers);
  const { health, position: next } = acknowledging.state;
  const { lastAnswer } = state.health.status;
  return {
    ...state,
    position: { ...position, due, gapAt: next.gapAt },
    health: { ...health, status: { ...health.status, lastAnswer } },
  };
}

/** The gap before the next answer, after an answer that was not acknowledged. */
function dueAfter({ index, due }: Position, gap: Gap | undefined, redelivers: boolean): DueGap | undefined {
  if (index !== undefined && redelivers)
    return gap ? { reason: gap.reason, index: gap.index, emitted: gap } : due;
  // The same answer cannot be requested again. So the events until the next poll are missed, too,
  // and a gap that was emitted is emitted once more.
  if (gap) return { reason: gap.reason, index: gap.index };
  return due ?? { reason: 'unacknowledged', index };
}

/** `ack` has decided that the watch goes on from somewhere else. */
export function transitionAfterMove<A>(
  { state: before, now, settings }: Turn<A>,
  { state, why }: Transition<A>,
  from: string | Checkpoint,
): Transition<A> {
  const point = resumePoint(from, settings.isIndex);
  const position = resumedPosition(state.position, now, point, settings.retention);
  // The poll stays charged, even if it had news, since `ack` may decide the same for ever.
  const { attempt } = state.pace;
  const pace = rested({ ...before.pace, attempt }, 0, now, settings);
  return { signals: [], why, state: { ...state, position, pace } };
}
