import {
  catchError,
  concatMap,
  last,
  map,
  merge,
  of,
  takeWhile,
  tap,
  timer,
  type Observable,
  type ObservableInput,
  type SchedulerLike,
} from 'rxjs';
import type { Instant } from './clocks.js';
import { paceWait, restFor } from './pace.js';
import { resumePoint, type AckDecision, type WatchSettings } from './watch-config.js';
import type { Checkpoint, WatchSignal, WatchStatus } from './watch-signal.js';
import { resumedState, type DueGap, type Turn, type WatchState } from './watch-state.js';

/** After this time, in ms, a person should know what the watch is waiting for. */
const SLOW_ACK = 30_000;

/** How an acknowledgement ended: `ack` has completed, and may have decided how to go on, or it has failed. */
export type Acknowledgement =
  | { readonly kind: 'acknowledged' }
  | { readonly kind: 'decided'; readonly decision: AckDecision }
  | { readonly kind: 'unacknowledged'; readonly error: unknown };

/** Calls `ack`. Emits how that ended, and before that a status if it takes long. */
export function acknowledge(
  ack: () => ObservableInput<unknown>,
  status: WatchStatus,
  scheduler: SchedulerLike,
): Observable<StatusSignal | Acknowledgement> {
  let isSlow = false as boolean;
  const changed = (state: WatchStatus['state']): StatusSignal => ({
    kind: 'status',
    status: { ...status, state, since: scheduler.now() },
  });
  const slow$ = timer(SLOW_ACK, scheduler).pipe(
    tap(() => (isSlow = true)),
    map(() => changed('acknowledging')),
  );
  // A later macrotask: if a subscriber threw, RxJS rethrows it in an earlier one, and Node ends before anything is saved.
  const acked$ = timer(0, scheduler).pipe(
    concatMap(ack),
    last(isDecision, undefined),
    concatMap((decision: AckDecision | undefined): readonly (StatusSignal | Acknowledgement)[] => {
      const settled = isSlow && decision?.watch !== 'end' ? [changed(status.state)] : [];
      if (!decision) return [...settled, { kind: 'acknowledged' }];
      // It may be to resume from something that is no index.
      if (decision.watch === 'resume') resumePoint(decision.from);
      return [...settled, { kind: 'decided', decision }];
    }),
    catchError((error: unknown) => of({ kind: 'unacknowledged', error } as const)),
  );
  return merge(acked$, slow$).pipe(takeWhile(({ kind }) => kind === 'status', true));
}

type StatusSignal = Extract<WatchSignal<never>, { kind: 'status' }>;

function isDecision(value: unknown): value is AckDecision {
  const { watch } = Object(value) as { watch?: unknown };
  return watch === 'end' || watch === 'resume';
}

/** The state in which an answer is requested again, as if it had not come. */
export function unacknowledgedState<A>(state: WatchState, after: Turn<A>): WatchState {
  const gap = after.delivery?.gap;
  // Without an index the same answer cannot be requested again: what happens until the next poll is missed.
  const missed: DueGap = gap
    ? { reason: gap.reason, index: gap.index }
    : (state.due ?? { reason: 'unacknowledged', index: undefined });
  const { lastAnswer, attempt } = state.status;
  return {
    ...state,
    due: state.index === undefined ? missed : gap ? { ...missed, emitted: gap } : state.due,
    coveredAt: after.state.coveredAt,
    quietSince: after.state.quietSince,
    status: { ...after.state.status, lastAnswer, attempt },
  };
}

/** `ack` has decided to continue from somewhere else. */
export function resumedTurn<A>(
  { state, why }: Turn<A>,
  from: string | Checkpoint,
  now: Instant,
  settings: WatchSettings<A>,
): Turn<A> {
  const resumed = resumedState(state, now, resumePoint(from), settings.retention);
  // Nothing of the answer is committed, so that its poll is paid for: it may decide so for ever.
  const paidUntil = state.paidUntil + (why === 'news' ? settings.minInterval : 0);
  const next = { ...resumed, paidUntil };
  return { signals: [], why, state: { ...next, rest: restFor(now, paceWait(next, now, settings)) } };
}
