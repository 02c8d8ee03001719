import {
  BehaviorSubject,
  concatMap,
  endWith,
  filter,
  from,
  ignoreElements,
  map,
  merge,
  of,
  take,
  takeWhile,
  tap,
  timer,
  type Observable,
  type Subscription,
} from 'rxjs';
import { changeStatus } from './change-status.js';
import { resumePoint, type AckDecision, type WatchSettings } from './watch-config.js';
import type { WatchSignal } from './watch-signal.js';
import { resumedState, type Turn } from './watch-turn.js';

/** Who takes the answers of a watch. While there is nobody, answers are held. */
export interface Audience<A> {
  /** Whether there is anybody: now, and whenever that changes. */
  readonly isPresent$: BehaviorSubject<boolean>;
  /** Splits an answer into the parts that are delivered one after the other, since the last one may leave in between. */
  readonly split: (answer: A) => readonly A[];
}

/** Completes when there is somebody. */
export function untilPresent({ isPresent$ }: Pick<Audience<never>, 'isPresent$'>): Observable<never> {
  return isPresent$.pipe(filter(Boolean), take(1), ignoreElements());
}

/** Who gets the parts of an answer. */
export interface PartObserver<A> {
  readonly next: (part: A, isLast: boolean) => void;
  /** All parts have been taken. */
  readonly complete: () => void;
  /** The delivery was given up after this number of parts. */
  readonly left: (count: number) => void;
}

/**
 * Delivers the parts of an answer, each as soon as there is somebody to take it, until `delivering` is unsubscribed from. That is
 * an argument, so that it takes effect at once: whoever leaves with a part may come back before this function returns.
 */
export function deliver<A>(
  answer: A,
  { isPresent$, split }: Audience<A>,
  delivering: Subscription,
  { next, complete, left }: PartObserver<A>,
): void {
  const parts = split(answer);
  let count = 0;
  let isEmitting = false;
  let isDone = false;
  delivering.add(() => {
    // Also if the last part was taken by someone who has left with it: the answer has not been committed.
    if (!isDone) left(count);
  });
  const emit = () => {
    // Whoever takes a part may leave and come back meanwhile.
    if (isEmitting) return;
    isEmitting = true;
    while (count < parts.length && isPresent$.value && !delivering.closed) {
      const part = parts[count++]!;
      next(part, count === parts.length);
    }
    isEmitting = false;
    if (count < parts.length || delivering.closed) return;
    isDone = true;
    delivering.unsubscribe();
    complete();
  };
  emit();
  if (!delivering.closed) delivering.add(isPresent$.subscribe(emit));
}

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
    // Not remembered: what follows from there comes again, also if this answer had it.
    const delivery = next.delivery && { ...next.delivery, isRemembered: false };
    const state = resumedState(next.state, resumePoint('from', decision.from));
    return [{ ...next, ...(delivery && { delivery }), state }];
  }
  const { error } = decision;
  const { status, signals } = changeStatus(next.state.status, { state: 'closed', error }, now);
  const end = 'error' in decision ? { error } : {};
  return [...signals, { ...next, state: { ...next.state, status }, why: 'ended', end }];
}
