import { resumePoint } from '../resume-point.js';
import type { Checkpoint, Gap } from '../watch-signal.js';
import { afterPoll } from './after-poll.js';
import { rested } from './pace.js';
import { resumedPosition } from './position.js';
import type { DueGap, Position, Transition, Turn, WatchEnd, WatchEvent, WatchState } from './watch-state.js';

/** `ack` failed. The answer is requested again, as if it had not come. */
export function unacknowledgedTransition<A>(
  turn: Turn<A>,
  { error, acknowledging }: WatchEvent<A> & { kind: 'unacknowledged' },
): Transition<A> {
  const before = { ...turn, state: unacknowledgedState(turn, acknowledging) };
  const attempt = before.state.health.status.attempt + 1;
  return afterPoll(before, { kind: 'failure', error, heldFor: 0, attempt }, 'ack_failed');
}

function unacknowledgedState<A>({ state, settings }: Turn<A>, acknowledging: Transition<A>): WatchState {
  const { position } = state;
  const due = dueAfter(position, acknowledging.delivery?.gap, settings.redelivers);
  const { lastAnswer, attempt } = state.health.status;
  const { health, position: next } = acknowledging.state;
  return {
    ...state,
    position: { ...position, due, gapAt: next.gapAt },
    health: { ...health, status: { ...health.status, lastAnswer, attempt } },
  };
}

/** The gap before the next answer, after an answer that was not acknowledged. */
function dueAfter({ index, due }: Position, gap: Gap | undefined, redelivers: boolean): DueGap | undefined {
  // Without an index, or if the service does not redeliver, the same answer cannot be requested
  // again. So the events until the next poll are missed, too, and the gap is emitted once more.
  const isGone = index === undefined || !redelivers;
  if (gap) return { reason: gap.reason, index: gap.index, emitted: isGone ? undefined : gap };
  return isGone ? (due ?? { reason: 'unacknowledged', index }) : due;
}

/** `ack` decided that the watch ends, or goes on from somewhere else. */
export function decidedTransition<A>(
  turn: Turn<A>,
  { decision, acknowledging }: WatchEvent<A> & { kind: 'decided' },
): Transition<A> {
  if (decision.watch === 'resume') return resumedTransition(turn, acknowledging, decision.from);
  const end: WatchEnd = 'error' in decision ? { kind: 'error', error: decision.error } : { kind: 'complete' };
  return afterPoll({ ...turn, state: acknowledging.state }, { kind: 'end', end });
}

function resumedTransition<A>(
  { state: before, now, settings }: Turn<A>,
  { state, why }: Transition<A>,
  from: string | Checkpoint,
): Transition<A> {
  const point = resumePoint(from, settings.isIndex);
  const position = resumedPosition(state.position, now, point, settings.retention);
  // The poll stays charged, even if it had news, since `ack` may decide the same for ever.
  const pace = rested(before.pace, 0, now, settings);
  return { signals: [], why, state: { ...state, position, pace } };
}
