import type { Recovery } from '../../error/index.js';
import { backoffDelay } from '../backoff.js';
import type { WatchSettings } from './watch-config.js';
import type { Checkpoint, Gap, WatchLogEntry, WatchSignal, WatchStatus } from './watch-signal.js';

/** The consecutive failures that the index may be the cause of, until it is dropped. */
const INDEX_FAILURES = 5;

/** The longest that a service may ask to wait, in ms: its own rate limits count in windows of 15 minutes. */
const LONGEST_WAIT = 900_000;

/** A wake reaches every client at once, as when a network is back. This spreads their polls, in ms. */
export const WAKE_JITTER = 1_000;

/** The part of the retention within which the service certainly knows an index, which is older than the answer with it. */
const CERTAIN = 0.99;

/** What the laws go by. */
export type WatchLaws<A> = Pick<
  WatchSettings<A>,
  'minInterval' | 'burst' | 'retention' | 'backoff' | 'indexOf' | 'isIdle' | 'isRepeat' | 'recovery'
>;

/** What a watch remembers between two polls. */
export interface WatchState<A> {
  /** What the next poll sends; absent if the service is to begin from now. */
  readonly index: string | undefined;
  /** The index is no older than this, in ms since 1970: the service knows it only for so long. */
  readonly indexAt: number | undefined;
  /** The last answer with news, to recognize its repetition. */
  readonly previous: A | undefined;
  /** Why the next answer does not join on to the last; only without an index. Told then: a reload meets a service that answers. */
  readonly gap: Pick<Gap, 'reason' | 'index'> | undefined;
  /** How many consecutive polls failed in a way that the index may be the cause of. */
  readonly indexFailures: number;
  /** Until when the polls so far have used up their share; see `pace`. */
  readonly busyUntil: number;
  readonly status: WatchStatus;
}

/** How one poll ended. */
export type Ending<A> =
  | { readonly kind: 'answer'; readonly answer: A; readonly askedAt: number }
  /** It completed without an answer; it was not answered in time; a wake cut it short. */
  | { readonly kind: 'nothing' | 'deadline' | 'woken' }
  | { readonly kind: 'failure'; readonly error: unknown }
  /** An answer came and was told, with this status, but its acknowledgement failed. */
  | { readonly kind: 'unacknowledged'; readonly error: unknown; readonly told: WatchStatus };

/** An ending, when it came, in ms since 1970, and a number from 0 up to 1 for the jitter. */
export type Outcome<A> = Ending<A> & { readonly at: number; readonly chance: number };

/** What an outcome leads to: what to tell, what to remember, and how to go on. */
export interface Turn<A> {
  readonly signals: readonly WatchSignal<A>[];
  readonly state: WatchState<A>;
  /** How long to wait before the next poll, in ms. */
  readonly wait: number;
  /** Why it waits. No wake cuts short a wait that the service `asked` for. */
  readonly why: (WatchLogEntry & { kind: 'turn' })['why'];
  /** The answer to be acknowledged before the state is taken over. */
  readonly toAck?: { readonly answer: A; readonly checkpoint: Checkpoint };
  /** The error that the watch ends with. */
  readonly end?: { readonly error: unknown };
}

/** The laws of the watch, as one pure step: what the outcome of a poll means in the state that it met. */
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

/** An answer came: tell of a gap first, then of the answer if it has news, and go on from its index. */
function onAnswer<A>(state: WatchState<A>, outcome: On<A, 'answer'>, laws: WatchLaws<A>): Turn<A> {
  const { answer, askedAt, at: now } = outcome;
  const index = indexIn(answer, laws);
  const isRepeat = state.previous !== undefined && laws.isRepeat(answer, state.previous);
  const isNews = !laws.isIdle(answer) && !isRepeat;

  const gap = gapBefore(state, index, now, laws.retention);
  const { status, signals: told } = changeStatus(state.status, { state: 'live', lastAnswer: now }, now);
  const signals: WatchSignal<A>[] = [
    ...(gap ? [{ kind: 'gap', gap: { ...gap, at: now } } as const] : []),
    ...told,
    ...(isNews ? [{ kind: 'answer', answer } as const] : []),
  ];

  const { wait, busyUntil } = isNews
    ? { wait: 0, busyUntil: state.busyUntil }
    : pace(state.busyUntil, now, laws);
  return {
    signals,
    state: {
      index,
      // Not when it was read: if the process slept, the answer lay waiting, and its index grew old meanwhile.
      indexAt: askedAt,
      previous: isNews ? answer : state.previous,
      // Without an index the next poll begins from now: what comes in between is missed.
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

/** A string, even if a service gives a number: it is sent back as it is, and never calculated with. Never an empty one. */
function indexIn<A>(answer: A, { indexOf = watchIndexOf }: WatchLaws<A>): string | undefined {
  const index = indexOf(answer);
  return index === '' || index == null ? undefined : String(index);
}

/** Where the service has it. */
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
  if (indexAt !== undefined && now - indexAt > retention * CERTAIN) return { reason: 'silence', index: from };
  const isBackwards = index !== undefined && isOlderIndex(index, from);
  return isBackwards ? { reason: 'index_backwards', index: from } : undefined;
}

/** Whether one index is older than another. Only decimal ones can be compared; as strings, since a number loses digits. */
function isOlderIndex(index: string, other: string): boolean {
  if (!/^\d+$/.test(index) || !/^\d+$/.test(other)) return false;
  const [a, b] = [index, other].map(digits => digits.replace(/^0+(?=\d)/, '')) as [string, string];
  return a.length === b.length ? a < b : a.length < b.length;
}

/**
 * No answer, and no failure: poll on from the same index. A proxy that cuts a long poll says nothing of the service, and
 * leaves the status as it is (`next` is undefined).
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

/** A poll failed: go on, go on without the index, or end. */
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
  const jitter = backoffDelay(attempt, laws.backoff, chance);
  const wait = after === undefined ? jitter : Math.min(after, LONGEST_WAIT) + Math.min(jitter, LONGEST_WAIT);
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

/** As if no answer had come, so that the same one is asked for again, after ever longer waits. */
function onUnacknowledged<A>(
  state: WatchState<A>,
  outcome: On<A, 'unacknowledged'>,
  laws: WatchLaws<A>,
): Turn<A> {
  const { lastAnswer, attempt } = state.status;
  // Without an index the same answer cannot be asked for again: what comes until then is missed.
  const missed =
    state.index === undefined ? ({ reason: 'index_missing', index: undefined } as const) : undefined;
  const before = { ...state, gap: state.gap ?? missed, status: { ...outcome.told, lastAnswer, attempt } };
  return { ...onFailure(before, outcome.error, { kind: 'retry' }, outcome, laws), why: 'ack' };
}

/**
 * The guard against a hot loop: when the next poll after one without news may be sent. `busyUntil` is the moment until which
 * the polls so far have used up their share; a `burst` of them may run ahead of it.
 */
function pace<A>(busyUntil: number, now: number, { minInterval, burst }: WatchLaws<A>) {
  // The upper bound is for a clock that is set back: it must not turn into a wait of hours.
  const from = Math.min(Math.max(busyUntil, now), now + burst * minInterval);
  return { wait: Math.max(0, from - (burst - 1) * minInterval - now), busyUntil: from + minInterval };
}

/** The status that follows, and the signal that tells it: each change of state, each failure; not each further answer. */
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
