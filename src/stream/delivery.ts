import {
  catchError,
  concatMap,
  endWith,
  from,
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
import { heldWhile, runWhile } from './held-while.js';
import { resumePoint, type AckDecision } from './watch-config.js';
import type { Checkpoint, Gap, WatchSignal, WatchStatus } from './watch-signal.js';

/** An answer on its way to the subscriber. */
export interface Delivery<A> {
  /** What `ack` gets: the answer, its checkpoint, and the gap before it, even if that has been emitted earlier. */
  readonly answer: A;
  readonly checkpoint: Checkpoint;
  readonly gap: Gap | undefined;
  /** What is emitted: the gap, unless it has been, then the answer or, if it has no news, `idle`. */
  readonly signals: readonly WatchSignal<A>[];
}

/** The subscribers of a feed, as its watch sees them. */
export interface Audience<A> {
  /** Whether there is no subscriber: emits at once, and at each change. Answers are held meanwhile. */
  readonly isAbsent$: Observable<boolean>;
  /** Whether to poll: not once there has been no subscriber for `linger` ms. Emits at once, and at each change, after `isAbsent$`. */
  readonly isActive$: Observable<boolean>;
  /** Splits an answer into parts that are delivered one by one, since the last subscriber may leave in between. */
  readonly split: (answer: A) => readonly A[];
}

/**
 * Emits the signals of a delivery: to an audience part by part, as long as it is there. Emits `taken` once all of them have been
 * emitted; or `expired`, if the audience comes back when `isExpired` says so.
 */
export function deliver<A>(
  { signals }: Delivery<A>,
  audience: Audience<A> | undefined,
  isExpired: () => boolean,
): Observable<WatchSignal<A> | 'taken' | 'expired'> {
  if (!audience || signals.every(({ kind }) => kind === 'idle')) return of(...signals, 'taken' as const);
  return from(signals).pipe(
    concatMap((signal): readonly (WatchSignal<A> | 'expired')[] => partsOf(signal, audience)),
    heldWhile<WatchSignal<A> | 'expired'>(audience.isAbsent$, {
      instead: () => (isExpired() ? ['expired'] : undefined),
    }),
    endWith('taken' as const),
    takeWhile(part => typeof part !== 'string', true),
  );
}

/**
 * Runs a watch that has no audience of its own while this one is active. What comes while it is absent is held, except for the
 * status; `drops` is called when the audience comes back, and returns whether what has been held is dropped.
 */
export function heldSignals<A>(
  run: () => Observable<WatchSignal<A>>,
  audience: Audience<A>,
  drops: (heldCount: number) => boolean = () => false,
): Observable<WatchSignal<A>> {
  return runWhile(audience.isActive$, run).pipe(
    concatMap(signal => partsOf(signal, audience)),
    heldWhile(audience.isAbsent$, {
      passes: ({ kind }) => kind === 'status',
      instead: heldCount => (drops(heldCount) ? [] : undefined),
    }),
  );
}

/** An answer in parts, the last of which has its checkpoint; any other signal as it is. */
function partsOf<A>(signal: WatchSignal<A>, { split }: Audience<A>): readonly WatchSignal<A>[] {
  if (signal.kind !== 'answer') return [signal];
  const parts = split(signal.answer);
  return parts.map((answer, i) =>
    i === parts.length - 1 ? { ...signal, answer } : { kind: 'answer', answer },
  );
}

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
