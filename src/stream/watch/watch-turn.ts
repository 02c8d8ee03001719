import type { ResumePoint, WatchSettings } from './watch-config.js';
import type { IndexAge, Instant, UntoldGap } from './watch-index.js';
import { freshPace, restLeft, type PollPace, type Rest } from './poll-pace.js';
import type { TurnReason } from './watch-log.js';
import type { WatchMemory } from './watch-memory.js';
import { connecting, type Checkpoint, type Gap, type WatchSignal, type WatchStatus } from './watch-signal.js';

/** The state of a watch between two polls. */
export interface WatchState extends IndexAge {
  /** The index for the next poll; undefined to start from now. */
  readonly index: string | undefined;
  /** The newest index of any answer so far. */
  readonly newest: string | undefined;
  /** There is a reason to expect that the service sends again what it has sent before. */
  readonly mayBeReplay: boolean;
  /** A gap to emit with the next answer, when the service is up again and a reload works. Only set if there is no index. */
  readonly gap: UntoldGap | undefined;
  /** The gap that was emitted before an answer that has not taken effect: it is not emitted again with the same answer. */
  readonly toldGap: UntoldGap | undefined;
  /** The index has been forgotten, and the last answer brought no newer one. */
  readonly isStale: boolean;
  /** There has been an answer, now or in an earlier subscription. */
  readonly isAnswered: boolean;
  /** The number of consecutive failures that the index may have caused. */
  readonly indexFailures: number;
  readonly pace: PollPace;
  /** The wait before the next poll. */
  readonly rest: Rest;
  /** Nothing was heard in a whole poll, or the machine slept: the connections of earlier polls may be dead. */
  readonly needsFreshConnection: boolean;
  /** The last poll ended at its deadline. Until there is an answer, a poll that hangs is no sign of life. */
  readonly isStalled: boolean;
  readonly status: WatchStatus;
}

/** How one poll ended. */
export type Ending<A> = { readonly askedAt: Instant } & (
  | { readonly kind: 'answer'; readonly answer: A }
  /** It completed without an answer; it was not answered in time; it was aborted by a wake, or a wait was. */
  | { readonly kind: 'nothing' | 'deadline' | 'woken' }
  | { readonly kind: 'failure'; readonly error: unknown }
  /** An answer was emitted, with this status, but `ack` failed. */
  | { readonly kind: 'unacknowledged'; readonly error: unknown; readonly told: WatchStatus }
);

/** Its time, a random number from 0 to 1 for the jitter, and over how many ms to spread polls that many watches send at once. */
export interface Moment {
  readonly now: Instant;
  readonly chance: number;
  readonly spread: number;
}

export type Outcome<A> = Ending<A> & Moment;

/** An outcome of one kind. */
export type On<A, Kind extends Outcome<A>['kind']> = Extract<Outcome<A>, { kind: Kind }>;

/** The settings that the laws depend on, and what the watch remembers. */
export type WatchLaws<A> = Pick<
  WatchSettings<A>,
  'minInterval' | 'burst' | 'retention' | 'backoff' | 'indexOf' | 'isIdle' | 'recovery'
> & { readonly memory: Pick<WatchMemory<A>, 'recall'> };

/** What an outcome leads to: the signals to emit, the next state, and how to continue. */
export interface Turn<A> {
  readonly signals: readonly WatchSignal<never>[];
  readonly state: WatchState;
  readonly why: TurnReason;
  /** What has to happen before the next state takes effect. */
  readonly delivery?: Delivery<A>;
  /** The watch ends: with this error, or without one. */
  readonly end?: { readonly error?: unknown };
}

/** An answer on its way to the consumer. */
export interface Delivery<A> {
  /** The answer as it came, to be remembered. */
  readonly arrived: A;
  /** The answer to acknowledge. */
  readonly answer: A;
  /** Whether it is emitted before. */
  readonly isNews: boolean;
  /** Whether it is to be remembered: it is news, or it was. */
  readonly isRemembered: boolean;
  readonly checkpoint: Checkpoint;
  /** The gap before it. */
  readonly gap: Gap | undefined;
}

/** The state before the first poll: from the start, or from where an earlier subscription stopped. */
export function firstState(start: ResumePoint | undefined, now: Instant, place?: WatchState): WatchState {
  const status = connecting(now.at, start?.at);
  const fresh: WatchState = {
    ...{ index: undefined, issued: undefined, coveredUntil: undefined, newest: undefined },
    ...{ gap: undefined, toldGap: undefined, isStale: false, isAnswered: false },
    pace: freshPace(now.at),
    ...{ indexFailures: 0, mayBeReplay: false, needsFreshConnection: false, isStalled: false },
    rest: { since: now.at, wait: 0, least: 0 },
    status,
  };
  return place ? returnedState(place, status) : start ? resumedState(fresh, start) : fresh;
}

/** The state of a watch that goes on where an earlier subscription stopped. */
function returnedState(place: WatchState, fresh: WatchStatus): WatchState {
  const { status, rest } = place;
  const { least } = restLeft(rest, fresh.since);
  const { lastAnswer, attempt, error } = status;
  return {
    ...place,
    ...{ indexFailures: 0, isStalled: false },
    // Whoever comes back may be sent again what was on its way when they left.
    mayBeReplay: true,
    // Whoever comes and goes, or subscribes again at each error, must not cause a hot loop.
    rest: { since: fresh.since, wait: least, least },
    status:
      least > 0
        ? { ...fresh, state: 'retrying', lastAnswer, attempt, error, nextTry: fresh.since + least }
        : { ...fresh, lastAnswer },
  };
}

/** The state of a watch that continues from somewhere else. */
export function resumedState(before: WatchState, { index, at }: ResumePoint): WatchState {
  return {
    ...before,
    index,
    issued: at === undefined ? undefined : { at, monotonic: undefined },
    coveredUntil: undefined,
    newest: index,
    mayBeReplay: true,
    gap: index === undefined ? { reason: 'index_missing', index: undefined } : undefined,
  };
}

/** A place that has been moved: someone else has watched to a checkpoint, or nobody did, so that it starts from now. */
export function movedTo(place: WatchState, to: Checkpoint | undefined): WatchState {
  if (!to) return { ...abandoned(place), gap: place.index === undefined ? place.gap : undefined };
  return resumedState(place, { index: to.index === '' ? undefined : to.index, at: to.at });
}

/** A place that will not be returned to: the next poll starts from now, and says so. */
export function abandoned(place: WatchState): WatchState {
  const { index } = place;
  if (index === undefined) return place;
  return { ...place, index: undefined, issued: undefined, gap: { reason: 'unwatched', index } };
}

/** How a poll ended whose answer was emitted, but not acknowledged. */
export function unacknowledged<A>({ state, delivery }: Turn<A>, error: unknown): Ending<A> {
  const at = delivery?.checkpoint.at ?? 0;
  return { kind: 'unacknowledged', error, told: state.status, askedAt: { at, monotonic: undefined } };
}
