import {
  concatMap,
  endWith,
  from,
  ignoreElements,
  map,
  merge,
  of,
  takeWhile,
  tap,
  timer,
  type Observable,
} from 'rxjs';
import { changeStatus } from './change-status.js';
import { resumePoint, type AckDecision, type WatchSettings } from './watch-config.js';
import { resumedState, type Turn } from './watch-turn.js';
import type { WatchSignal } from './watch-signal.js';

/** After this time, in ms, a person should know what the watch is waiting for. */
const SLOW_ACK = 30_000;

/**
 * Calls `ack` with the answer of a turn, if there is one. Emits the turn that takes effect when it has completed, as `ack` has
 * decided, and before that a status if it takes long. Fails if it fails.
 */
export function acknowledge<A>(
  next: Turn<A>,
  { ack, scheduler }: Pick<WatchSettings<A>, 'ack' | 'scheduler'>,
): Observable<WatchSignal<never> | Turn<A>> {
  const { delivery, state } = next;
  if (!ack || !delivery) return of(next);
  const { answer, checkpoint, gap } = delivery;
  const now = () => scheduler.now();
  let decision: AckDecision | undefined;
  let isSlow = false;

  // A later macrotask: if a subscriber threw, RxJS rethrows it in an earlier one, and Node ends before anything is saved.
  const acked$ = timer(0, scheduler).pipe(
    concatMap(() => from(ack(answer, checkpoint, gap))),
    tap(value => {
      if (isDecision(value)) decision = value;
    }),
    ignoreElements(),
    endWith('done' as const),
  );
  const slow$ = timer(SLOW_ACK, scheduler).pipe(map(() => 'slow' as const));
  return merge(acked$, slow$).pipe(
    takeWhile(event => event === 'slow', true),
    concatMap(event => {
      if (event === 'slow') {
        isSlow = true;
        return changeStatus(state.status, { ...state.status, state: 'acknowledging' }, now()).signals;
      }
      const settled = isSlow ? [{ kind: 'status', status: { ...state.status, since: now() } } as const] : [];
      return decision ? decided(next, decision, now()) : [...settled, next];
    }),
  );
}

function isDecision(value: unknown): value is AckDecision {
  const { watch } = Object(value) as { watch?: unknown };
  return watch === 'end' || watch === 'resume';
}

/** The signals that follow from a decision, and the turn. */
function decided<A>(
  next: Turn<A>,
  decision: AckDecision,
  now: number,
): readonly (WatchSignal<never> | Turn<A>)[] {
  if (decision.watch === 'resume') {
    return [{ ...next, state: resumedState(next.state, resumePoint('from', decision.from)) }];
  }
  const { error } = decision;
  const { status, signals } = changeStatus(next.state.status, { state: 'closed', error }, now);
  const end = 'error' in decision ? { error } : {};
  return [...signals, { ...next, state: { ...next.state, status }, why: 'ended', end }];
}
