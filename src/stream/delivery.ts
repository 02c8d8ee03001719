import {
  catchError,
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
import { heldWhile, runWhile } from './held-while.js';
import { resumePoint, type AckDecision, type WatchSettings } from './watch-config.js';
import {
  changeStatus,
  type Checkpoint,
  type Gap,
  type WatchSignal,
  type WatchStatus,
} from './watch-signal.js';

/** An answer on its way to the subscriber. */
export interface Delivery<A> {
  readonly answer: A;
  /** Whether it is emitted before it is acknowledged. */
  readonly isNews: boolean;
  readonly checkpoint: Checkpoint;
  /** The gap before it. */
  readonly gap: Gap | undefined;
  readonly isGapEmitted: boolean;
}

/** Who takes the answers of a watch. */
export interface Audience<A> {
  /** Whether there is no subscriber: now, and whenever that changes. Answers are held meanwhile. */
  readonly isAbsent$: Observable<boolean>;
  /** Whether to poll: not if there has been no subscriber for the linger. Now, and whenever that changes, after `isAbsent$`. */
  readonly isActive$: Observable<boolean>;
  /** Splits an answer into parts that are delivered one by one, since the last subscriber may leave in between. */
  readonly split: (answer: A) => readonly A[];
}

/**
 * Delivers the gap before an answer, then the answer: to an audience part by part, as long as it is there. Emits `taken` once all
 * of it has been emitted; or `late`, if the audience comes back when `isLate` says that it is.
 */
export function deliver<A>(
  delivery: Delivery<A>,
  audience: Audience<A> | undefined,
  isLate: () => boolean,
): Observable<WatchSignal<A> | 'taken' | 'late'> {
  const parts: readonly (WatchSignal<A> | 'late')[] = partsOf(delivery, audience);
  if (!audience || !(delivery.isNews || delivery.gap)) return of(...parts, 'taken' as const);
  return from(parts).pipe(
    heldWhile<WatchSignal<A> | 'late'>(audience.isAbsent$, {
      instead: () => (isLate() ? 'late' : undefined),
    }),
    endWith('taken' as const),
    takeWhile(part => typeof part !== 'string', true),
  );
}

/**
 * The signals of a watch that knows nothing of its audience: it runs while that is active, and what comes while it is absent is
 * held, except for its status. If `gapOnReturn` returns a gap when the audience comes back, that is emitted in place of what has been held.
 */
export function heldSignals<A>(
  run: () => Observable<WatchSignal<A>>,
  { isAbsent$, isActive$, split }: Audience<A>,
  gapOnReturn?: (heldCount: number) => Gap | undefined,
): Observable<WatchSignal<A>> {
  const passes = ({ kind }: WatchSignal<A>) => kind === 'status';
  const instead = (heldCount: number): WatchSignal<A> | undefined => {
    const gap = gapOnReturn?.(heldCount);
    return gap && { kind: 'gap', gap };
  };
  return runWhile(isActive$, run).pipe(
    concatMap((signal): readonly WatchSignal<A>[] =>
      signal.kind === 'answer' ? split(signal.answer).map(answer => ({ kind: 'answer', answer })) : [signal],
    ),
    heldWhile(isAbsent$, { passes, instead }),
  );
}

/** The gap before an answer and the answer, in parts if there is an audience. The last part has the checkpoint. */
function partsOf<A>(
  { answer, isNews, checkpoint, gap, isGapEmitted }: Delivery<A>,
  audience: Audience<A> | undefined,
): readonly WatchSignal<A>[] {
  const parts: WatchSignal<A>[] = gap && !isGapEmitted ? [{ kind: 'gap', gap }] : [];
  if (!isNews) return [...parts, { kind: 'idle', checkpoint }];
  const answers = audience ? audience.split(answer) : [answer];
  for (const [i, part] of answers.entries())
    parts.push({ kind: 'answer', answer: part, ...(i === answers.length - 1 && { checkpoint }) });
  return parts;
}

/** After this time, in ms, a person should know what the watch is waiting for. */
const SLOW_ACK = 30_000;

/** What has become of a delivery: `ack` has completed, and may have decided how to go on, or it has failed. */
export type Acknowledgement =
  | { readonly kind: 'acknowledged'; readonly decision: AckDecision | undefined }
  | { readonly kind: 'unacknowledged'; readonly error: unknown };

/** Calls `ack` with what has been delivered. Emits what has become of it, and before that a status if it takes long. */
export function acknowledge<A>(
  { answer, checkpoint, gap }: Delivery<A>,
  status: WatchStatus,
  { ack, scheduler }: WatchSettings<A>,
): Observable<WatchSignal<never> | Acknowledgement> {
  let decision: AckDecision | undefined;
  let isSlow = false;
  // A later macrotask: if a subscriber threw, RxJS rethrows it in an earlier one, and Node ends before anything is saved.
  const acked$ = timer(0, scheduler).pipe(
    concatMap(() => from(ack?.(answer, checkpoint, gap) ?? [])),
    tap(value => {
      if (isDecision(value)) decision = value;
    }),
    ignoreElements(),
    endWith('acknowledged' as const),
    // A decision may be to resume from something that is no index.
    tap(() => {
      if (decision?.watch === 'resume') resumePoint('from', decision.from);
    }),
  );
  const slow$ = timer(SLOW_ACK, scheduler).pipe(map(() => 'slow' as const));
  return merge(acked$, slow$).pipe(
    takeWhile(event => event === 'slow', true),
    concatMap((event): readonly (WatchSignal<never> | Acknowledgement)[] => {
      const at = scheduler.now();
      if (event === 'slow') {
        isSlow = true;
        return changeStatus(status, { ...status, state: 'acknowledging' }, at).signals;
      }
      const done = { kind: 'acknowledged', decision } as const;
      return isSlow && !decision ? [{ kind: 'status', status: { ...status, since: at } }, done] : [done];
    }),
    catchError((error: unknown) => of({ kind: 'unacknowledged', error } as const)),
  );
}

function isDecision(value: unknown): value is AckDecision {
  const { watch } = Object(value) as { watch?: unknown };
  return watch === 'end' || watch === 'resume';
}
