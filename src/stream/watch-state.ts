import { instantAt, type Instant } from './clocks.js';
import { resumePoint, type AckDecision, type Polled, type ResumePoint } from './watch-config.js';
import {
  changedStatus,
  connecting,
  type Checkpoint,
  type Gap,
  type GapReason,
  type StatusChange,
  type TurnReason,
  type WatchSignal,
  type WatchStatus,
} from './watch-signal.js';

/** The state of a watch between two polls. */
export interface WatchState {
  /** The index for the next poll; undefined to start from now. */
  readonly index: string | undefined;
  /** The index is no older than this. The service forgets it after the retention. */
  readonly indexAt: Instant;
  /** When the last gap was emitted. A reload there misses nothing, so that polls sent right after it miss nothing, either. */
  readonly coveredAt: Instant;
  /** When the service said something of its own: what comes with the next news may have waited since then. It decides about gaps. */
  readonly heardAt: Instant;
  /** The key of the last answer with news. */
  readonly key: unknown;
  /** A gap to emit before the next answer: a reload only works once the service is up again. */
  readonly due: DueGap | undefined;
  /** When the last poll was sent. */
  readonly askedAt: Instant;
  /** The rate limit of polls without news is paid up to this time, on the monotonic clock. */
  readonly paidUntil: number;
  /** The wait before the next poll. */
  readonly rest: Rest;
  /** The number of consecutive failures that the index may have caused. */
  readonly indexFailures: number;
  /** There has been an answer. */
  readonly isAnswered: boolean;
  /** A poll that is held shows that the service is well: after a start, an answer, or a failure that came at once. */
  readonly isHoldingProof: boolean;
  /** Since then it has said nothing of its own, on the monotonic clock. It decides about the status, so that a return resets it. */
  readonly quietSince: number;
  /** The connections of earlier polls may be dead. */
  readonly needsFreshConnection: boolean;
  readonly status: WatchStatus;
}

/** A gap before an answer that has not been committed. */
export interface DueGap {
  readonly reason: GapReason;
  readonly index: string | undefined;
  /** It has been emitted, but the answer after it was not acknowledged. */
  readonly emitted?: Gap;
}

/** A wait, on the monotonic clock. A wake may shorten it, but not to before `earliest`. */
export interface Rest {
  readonly until: number;
  readonly earliest: number;
}

/** What happens to a poll, or to the wait for it. */
export type WatchEvent<A> =
  /** It is being sent; the service has been holding it for a while. It goes on. */
  | { readonly kind: 'sent' | 'held' }
  /** It began to arrive at some time; by default, it has only just done so. */
  | ({ readonly kind: 'answer'; readonly arrivedAt?: Instant | undefined } & Polled<A>)
  /** It completed without an answer; it was not answered in time; its index became too old. */
  | { readonly kind: 'nothing' | 'timeout' | 'outdated' }
  /** It failed, or could not even be sent. */
  | { readonly kind: 'failure'; readonly error: unknown; readonly isUnsent?: boolean }
  /** The machine woke; the last subscriber of a feed left; one came back. */
  | { readonly kind: 'woken' | 'left' | 'returned' }
  /** What was held for the next subscriber became too old. */
  | { readonly kind: 'expired' }
  /** An answer was delivered, but `ack` failed; or it has decided how to go on. */
  | { readonly kind: 'unacknowledged'; readonly error: unknown; readonly after: Turn<A> }
  | { readonly kind: 'decided'; readonly decision: AckDecision; readonly after: Turn<A> };

/** When it happens. */
export interface Moment {
  readonly now: Instant;
  /** The number of watches of this process that may send their polls at once. */
  readonly openWatches: number;
}

/** What an event leads to: the signals to emit, the next state, and how to continue. */
export interface Turn<A> {
  readonly signals: readonly WatchSignal<never>[];
  readonly state: WatchState;
  /** Absent if the poll goes on. */
  readonly why?: TurnReason | undefined;
  /** What has to happen before the next state takes effect. */
  readonly delivery?: Delivery<A>;
  /** The watch ends: with this error, or without one. */
  readonly end?: { readonly error?: unknown };
}

/** An answer on its way to the subscriber. */
export interface Delivery<A> {
  /** What `ack` gets: the answer, its checkpoint, and the gap before it, even if that has been emitted earlier. */
  readonly answer: A;
  readonly checkpoint: Checkpoint;
  readonly gap: Gap | undefined;
  /** What is emitted: the gap, unless it has been, then the answer or, if it has no news, `idle`. */
  readonly signals: readonly WatchSignal<A>[];
}

/** The service holds a poll that it has not answered after this time, in ms. */
export const HELD_AFTER = 2_000;

/** Equal to no key. */
const NO_KEY = {};

const LONG_AGO: Instant = { at: -Infinity, monotonic: -Infinity };

/** The state before the first poll. */
export function firstState(now: Instant, from: ResumePoint | undefined, retention: number): WatchState {
  const fresh: WatchState = {
    index: undefined,
    indexAt: now,
    heardAt: now,
    coveredAt: LONG_AGO,
    key: NO_KEY,
    due: undefined,
    askedAt: LONG_AGO,
    paidUntil: -Infinity,
    rest: { until: now.monotonic, earliest: now.monotonic },
    indexFailures: 0,
    isAnswered: false,
    isHoldingProof: true,
    quietSince: now.monotonic,
    needsFreshConnection: false,
    status: connecting(now.at, from?.at),
  };
  return from ? resumedState(fresh, now, from, retention) : fresh;
}

/** How old an index may become before the service may have forgotten it, in ms: answers take a moment to arrive. */
export function ageLimit(retention: number): number {
  return retention * 0.99;
}

/** What is sent within this time, in ms, after a gap or a word of the service misses nothing: events are kept much longer. */
export function tolerance(retention: number): number {
  return retention - ageLimit(retention);
}

/** The state of a watch that goes on from somewhere else. */
export function resumedState(
  before: WatchState,
  now: Instant,
  { index, at = now.at }: ResumePoint,
  retention: number,
): WatchState {
  const age = now.at - at;
  // Clocks of machines differ a little. A time that is further ahead says nothing about the age, which may be any.
  const isFromFuture = -age > tolerance(retention);
  const indexAt = age > 0 ? instantAt(at, now) : now;
  const missing: DueGap | undefined =
    index === undefined
      ? { reason: 'index_missing', index }
      : isFromFuture
        ? { reason: 'silence', index }
        : undefined;
  // The first answer from there may repeat the last one, and is news all the same.
  return { ...before, index, indexAt, heardAt: indexAt, key: NO_KEY, due: missing, indexFailures: 0 };
}

/** The state of a watch that continues elsewhere: from a checkpoint or, without one, from now. */
export function movedState(
  before: WatchState,
  now: Instant,
  to: Checkpoint | undefined,
  retention: number,
): WatchState {
  // The age of its own index is known on both clocks.
  if (to && to.index === before.index) return before;
  if (to) return resumedState(before, now, resumePoint(to), retention);
  return { ...before, index: undefined, due: before.index === undefined ? before.due : undefined };
}

/** A turn to a state with another status. */
export function turnTo(state: WatchState, change: StatusChange, now: Instant, why?: TurnReason): Turn<never> {
  const { status, signals } = changedStatus(state.status, change, now.at);
  return { why, signals, state: { ...state, status } };
}
