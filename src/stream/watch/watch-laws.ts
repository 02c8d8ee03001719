import type { Recovery } from '../../error/index.js';
import { backoffDelay } from '../backoff.js';
import type { WatchSettings } from './watch-config.js';
import type { Checkpoint, Gap, WatchLogEntry, WatchSignal, WatchStatus } from './watch-signal.js';

/** After this many consecutive failures that the index may have caused, it is dropped. */
const INDEX_FAILURES = 5;

/** When a network comes back, all clients wake at once. Their polls are spread over this time, in ms. */
export const WAKE_JITTER = 1_000;

/** The share of the retention within which the service certainly still knows an index, slightly older than its answer. */
const MARGIN = 0.99;

/** The settings that the laws depend on. */
export type WatchLaws<A> = Pick<
  WatchSettings<A>,
  'minInterval' | 'burst' | 'retention' | 'backoff' | 'indexOf' | 'isIdle' | 'isRepeat' | 'recovery'
>;

/** The state of a watch between two polls. */
export interface WatchState<A> {
  /** The index for the next poll; undefined to start from now. */
  readonly index: string | undefined;
  /** The index is no older than this time, in ms since 1970. The service forgets an index after the retention. */
  readonly indexAt: number | undefined;
  /** The last answer with news, to recognize a repeated answer. */
  readonly previous: A | undefined;
  /** A gap to emit with the next answer, when the service is up again and a reload works. Only set if there is no index. */
  readonly gap: Pick<Gap, 'reason' | 'index'> | undefined;
  /** The number of consecutive failures that the index may have caused. */
  readonly indexFailures: number;
  /** Polls without news are ahead of their rate limit until this time, in ms since 1970; see `pace`. */
  readonly busyUntil: number;
  readonly status: WatchStatus;
}

/** How one poll ended. */
export type Ending<A> =
  | { readonly kind: 'answer'; readonly answer: A; readonly askedAt: number }
  /** It completed without an answer; it was not answered in time; it was aborted by a wake. */
  | { readonly kind: 'nothing' | 'deadline' | 'woken' }
  | { readonly kind: 'failure'; readonly error: unknown }
  /** An answer was emitted, with this status, but `ack` failed. */
  | { readonly kind: 'unacknowledged'; readonly error: unknown; readonly told: WatchStatus };

/** An ending, its time in ms since 1970, and a random number from 0 to 1 for the jitter. */
export type Outcome<A> = Ending<A> & { readonly at: number; readonly chance: number };

/** What an outcome leads to: the signals to emit, the next state, and how to continue. */
export interface Turn<A> {
  readonly signals: readonly WatchSignal<A>[];
  readonly state: WatchState<A>;
  /** How long to wait before the next poll, in ms. */
  readonly wait: number;
  /** The reason for the wait. A wake never shortens a wait that the service `asked` for. */
  readonly why: (WatchLogEntry & { kind: 'turn' })['why'];
  /** The answer to acknowledge before the next state takes effect. */
  readonly toAck?: { readonly answer: A; readonly checkpoint: Checkpoint };
  /** The error that the watch ends with. */
  readonly end?: { readonly error: unknown };
}

/** The laws of the watch as one pure function: from a state and the outcome of a poll to the next turn. */
export function nextTurn<A>(state: WatchState<A>, outcome: Outcome<A>, laws: WatchLaws<A>): Turn<A> {
  switch (outcome.kind) {
    case 'answer':
      return onAnswer(state, outcome, laws);
    case 'nothing':
      return onNothing(state, 'live', outcome, laws);
    case 'deadline':
      return onNothing(state, 'retrying', outcome, laws);
    case 'woken':
      return { signals: [], state, wait: Math.round(outcome.chance * WAKE_JITTER), why: 'woke' };
    case 'failure':
      return onFailure(state, outcome.error, laws.recovery(outcome.error), outcome, laws);
    case 'unacknowledged':
      return onUnacknowledged(state, outcome, laws);
  }
}

type On<A, Kind extends Outcome<A>['kind']> = Extract<Outcome<A>, { kind: Kind }>;

/** An answer: emits the gap before it, if any, then the answer if it has news, and continues from its index. */
function onAnswer<A>(state: WatchState<A>, outcome: On<A, 'answer'>, laws: WatchLaws<A>): Turn<A> {
  const { answer, askedAt, at: now } = outcome;
  const index = indexIn(answer, laws);
  const isRepeat = state.previous !== undefined && laws.isRepeat(answer, state.previous);
  const isNews = !laws.isIdle(answer) && !isRepeat;

  const gap = gapBefore(state, index, now, laws.retention);
  const { status, signals: changes } = changeStatus(state.status, { state: 'live', lastAnswer: now }, now);
  const signals: WatchSignal<A>[] = [
    ...(gap ? [{ kind: 'gap', gap: { ...gap, at: now } } as const] : []),
    ...changes,
    ...(isNews ? [{ kind: 'answer', answer } as const] : []),
  ];

  const { wait, busyUntil } = isNews
    ? { wait: 0, busyUntil: state.busyUntil }
    : pace(state.busyUntil, now, laws);
  return {
    signals,
    state: {
      index,
      // Not the time of arrival: if the process slept, the answer was waiting, and its index is older than that.
      indexAt: askedAt,
      previous: isNews ? answer : state.previous,
      // Without an index the next poll starts from now and misses what happens in between.
      gap: index === undefined ? { reason: 'index_missing', index: state.index } : undefined,
      indexFailures: 0,
      busyUntil,
      status,
    },
    wait: index === undefined ? Math.max(wait, laws.minInterval) : wait,
    why: isNews ? 'news' : 'nothing',
    toAck: { answer, checkpoint: { index: index ?? '', at: askedAt } },
  };
}

/** The index as a string, even if the service sends a number. An empty index counts as missing. */
function indexIn<A>(answer: A, { indexOf = watchIndexOf }: WatchLaws<A>): string | undefined {
  const index = indexOf(answer);
  return index === '' || index == null ? undefined : String(index);
}

/** The index of an answer of this service. */
function watchIndexOf(answer: unknown): string | number | undefined {
  return (answer as { watch?: { index?: string | number } | null } | null)?.watch?.index;
}

function gapBefore<A>(
  { index: from, indexAt, gap }: WatchState<A>,
  index: string | undefined,
  now: number,
  retention: number,
): WatchState<A>['gap'] {
  if (from === undefined) return gap;
  if (indexAt !== undefined && now - indexAt > retention * MARGIN) return { reason: 'silence', index: from };
  const isBackwards = index !== undefined && isOlderIndex(index, from);
  return isBackwards ? { reason: 'index_backwards', index: from } : undefined;
}

/** Whether one index is older than another. Only decimal ones are compared, as strings, since numbers lose digits. */
function isOlderIndex(index: string, other: string): boolean {
  if (!/^\d+$/.test(index) || !/^\d+$/.test(other)) return false;
  const [a, b] = [index, other].map(digits => digits.replace(/^0+(?=\d)/, '')) as [string, string];
  return a.length === b.length ? a < b : a.length < b.length;
}

/**
 * No answer and no failure: keeps polling from the same index. If a proxy timed out (`next` is undefined), that says nothing
 * about the service, so the status does not change.
 */
function onNothing<A>(
  state: WatchState<A>,
  next: 'live' | 'retrying' | undefined,
  { at: now }: Outcome<A>,
  laws: WatchLaws<A>,
): Turn<A> {
  const { wait, busyUntil } = pace(state.busyUntil, now, laws);
  const { status, signals } = next
    ? changeStatus(state.status, { state: next, attempt: next === 'live' ? 0 : state.status.attempt }, now)
    : { status: state.status, signals: [] };
  return { signals, state: { ...state, indexFailures: 0, busyUntil, status }, wait, why: 'nothing' };
}

/** A failed poll: continues, continues without the index, or ends. */
function onFailure<A>(
  state: WatchState<A>,
  error: unknown,
  recovery: Recovery,
  outcome: Outcome<A>,
  laws: WatchLaws<A>,
): Turn<A> {
  const { at: now, chance } = outcome;
  if (recovery.kind === 'idle') return onNothing(state, undefined, outcome, laws);
  if (recovery.kind === 'end' || (recovery.kind === 'index' && state.index === undefined)) {
    const { status, signals } = changeStatus(state.status, { state: 'closed', error }, now);
    return { signals, state: { ...state, status }, wait: 0, why: 'ended', end: { error } };
  }

  const { after, blamesIndex = false, offline = false } = recovery.kind === 'retry' ? recovery : {};
  const indexFailures = blamesIndex ? state.indexFailures + 1 : 0;
  const dropsIndex =
    state.index !== undefined && (recovery.kind === 'index' || indexFailures >= INDEX_FAILURES);

  const attempt = state.status.attempt + 1;
  const wait = backoffDelay(attempt, laws.backoff, chance, after);
  const change = { state: offline ? 'offline' : 'retrying', attempt, nextTry: now + wait, error } as const;
  const { status, signals } = changeStatus(state.status, change, now);
  return {
    signals,
    state: {
      ...state,
      index: dropsIndex ? undefined : state.index,
      gap: dropsIndex ? { reason: 'index_refused', index: state.index } : state.gap,
      indexFailures: dropsIndex ? 0 : indexFailures,
      status,
    },
    wait,
    why: after === undefined ? 'failed' : 'asked',
  };
}

/** `ack` failed: continues as if there had been no answer, so that it is requested again, with increasing waits. */
function onUnacknowledged<A>(
  state: WatchState<A>,
  outcome: On<A, 'unacknowledged'>,
  laws: WatchLaws<A>,
): Turn<A> {
  const { lastAnswer, attempt } = state.status;
  // Without an index the same answer cannot be requested again: what happens until the next poll is missed.
  const missed =
    state.index === undefined ? ({ reason: 'index_missing', index: undefined } as const) : undefined;
  const before = { ...state, gap: state.gap ?? missed, status: { ...outcome.told, lastAnswer, attempt } };
  return { ...onFailure(before, outcome.error, { kind: 'retry' }, outcome, laws), why: 'ack' };
}

/**
 * The guard against hot loops: how long to wait after a poll without news. Each such poll moves `busyUntil` ahead by
 * `minInterval`; a `burst` of polls may run ahead of the clock.
 */
function pace<A>(busyUntil: number, now: number, { minInterval, burst }: WatchLaws<A>) {
  // The upper bound is for a clock that was set back, which must not cause a wait of hours.
  const from = Math.min(Math.max(busyUntil, now), now + burst * minInterval);
  return { wait: Math.max(0, from - (burst - 1) * minInterval - now), busyUntil: from + minInterval };
}

/** The next status, and a signal for it if the state changed or a poll failed; not for each further answer. */
function changeStatus(
  before: WatchStatus,
  change: Pick<WatchStatus, 'state'> & Partial<WatchStatus>,
  now: number,
): { readonly status: WatchStatus; readonly signals: readonly { kind: 'status'; status: WatchStatus }[] } {
  const isSame = before.state === change.state;
  const status: WatchStatus = {
    lastAnswer: before.lastAnswer,
    attempt: 0,
    nextTry: undefined,
    error: undefined,
    ...change,
    since: isSame ? before.since : now,
  };
  return { status, signals: isSame && status.attempt === 0 ? [] : [{ kind: 'status', status }] };
}
