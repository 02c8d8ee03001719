import { HELD_MS } from '../../error/index.js';
import { ageOf, type Instant } from '../timing/index.js';
import { connecting, type PollEnd, type WatchStatus } from '../watch-signal.js';
import type { Answered, Outcome } from './outcome.js';
import type { Change, Health, Pace, Position, Transition, Turn, WatchState } from './watch-state.js';

/** After this long without contact, in ms, the status says so. */
const QUIET_MS = 150_000;

/**
 * How long a poll has to be held, in ms, after the browser has said that it has a network again.
 */
const ONLINE_MS = 5_000;

const CHECK_NETWORK = 'the browser says it is offline; polls go on';
const CHECK_INDEX = 'each poll from this index fails: is it still known? See `dropsIndex`';
const CHECK_CUTS =
  'no answer for a while: does a proxy cut polls off before 60 s, or is the timeout too short (`onArrival`)?';
const CHECK_INDEX_OF = 'the answers have no index: is `indexOf` right?';
const CHECK_ROUNDED = 'the index is a number above 2^53, which JSON.parse rounds: take it from the text';
/** What to check if an answer is not the service's, although it can be told from others. */
export const CHECK_SENDER = 'the answers have no new rvt-ray-id: does a proxy answer?';
/** What to check if the first poll is not answered. */
export const CHECK_FIRST = 'a poll without an index is held: does the first request wait for news?';
const CHECK_CACHE =
  'polls are answered at once, with the same index: does a cache answer? A queue has `redelivers: false`';

export function firstHealth(now: Instant, lastAnswer: number | undefined): Health {
  const status = connecting(now.at, lastAnswer);
  return {
    status,
    heldAfter: HELD_MS,
    isAnswered: false,
    isProved: false,
    isOffline: false,
    isSure: true,
  };
}

/** A change of the status. Fields that it does not set are reset, except for the last answer. */
type StatusChange = Pick<WatchStatus, 'state'> & Partial<WatchStatus>;

/**
 * The health with another status, if one is given. While the browser is offline, that is taken for
 * the cause.
 */
export function withStatus(health: Health, change: StatusChange | undefined, now: Instant): Change {
  if (!change) return { health, signals: [] };
  const isOffline = health.isOffline && (change.state === 'retrying' || change.state === 'connecting');
  const shown = isOffline ? offlineChange(change) : change;
  const { status: before } = health;
  const isSame = before.state === shown.state;
  const status: WatchStatus = {
    state: shown.state,
    since: isSame ? before.since : now.at,
    lastAnswer: shown.lastAnswer ?? before.lastAnswer,
    attempt: shown.attempt ?? 0,
    nextTry: shown.nextTry,
    error: shown.error,
    hint: shown.hint,
  };
  // A status that says nothing new, as after a further answer, is not emitted.
  const isEmitted = !isSame || shown.nextTry !== undefined || shown.hint !== before.hint;
  return { health: { ...health, status }, signals: isEmitted ? [{ kind: 'status', status }] : [] };
}

function offlineChange(change: StatusChange): StatusChange {
  return { ...change, state: 'offline', hint: change.hint ?? CHECK_NETWORK };
}

/** The service was heard from. */
function inContact(health: Health, isFromService: boolean | undefined): Health {
  const isProved = health.isProved || isFromService !== undefined;
  return { ...health, heldAfter: HELD_MS, isAnswered: true, isProved, isOffline: false, isSure: true };
}

/** The service holds a poll. It has nothing new, and all is well. Only contact ends the backoff. */
export function held(health: Health, now: Instant): Change {
  const { state, attempt } = health.status;
  if (state === 'live' || health.isOffline || health.heldAfter === Infinity) return { health, signals: [] };
  return withStatus(health, { state: 'live', attempt }, now);
}

/**
 * The service holds a poll without an index, which it has to answer at once. The state stays the
 * same, with a hint.
 */
export function heldFirst(health: Health, now: Instant): Change {
  if (health.status.state === 'live') return { health, signals: [] };
  const { health: next } = withStatus(health, { ...withoutHint(health), hint: CHECK_FIRST }, now);
  return { health: next, signals: [{ kind: 'status', status: next.status }] };
}

/** A poll waits for the quota of its client. */
export function waiting(health: Health, now: Instant, nextTry: number): Change {
  return withStatus(health, { ...withoutHint(health), nextTry, hint: WAITS_FOR_QUOTA }, now);
}

const WAITS_FOR_QUOTA = 'a poll waits for its quota (`watch.quota`)';

/** The browser says that it has no network. */
export function offline(health: Health, now: Instant): Change {
  return withStatus({ ...health, isOffline: true }, { ...withoutHint(health), state: 'retrying' }, now);
}

/** The part of a status that stays when the hint changes. */
function withoutHint({ status: { state, attempt, error, nextTry } }: Health): StatusChange {
  return { state, attempt, error, nextTry };
}

/**
 * The browser says that it has a network again. It may be wrong, so a poll has to be held for 5 s.
 * If it has said so before, and the service has not been heard from since, only contact counts.
 */
export function online(health: Health, now: Instant): Change {
  if (!health.isOffline) return { health, signals: [] };
  const { attempt } = health.status;
  const heldAfter = health.isSure ? ONLINE_MS : Infinity;
  return withStatus(
    { ...health, isOffline: false, isSure: false, heldAfter },
    { state: 'connecting', attempt },
    now,
  );
}

/** A poll ended without contact. The next one has to be held for longer than this one. */
function unheard(health: Health, heldFor: number): Health {
  return health.heldAfter === Infinity ? health : { ...health, heldAfter: heldFor + HELD_MS };
}

/**
 * The hint for a poll that fails again and again at a service that forgets nothing, for no other
 * known reason.
 */
export function indexHint(contactAt: Instant, now: Instant, retention: number): string | undefined {
  return retention === Infinity && ageOf(contactAt, now) >= QUIET_MS ? CHECK_INDEX : undefined;
}

/** A poll ends this late after its timeout, in ms, only if the process stood still. */
const STANDSTILL_MS = 5_000;

/** Whether the process stood still during a poll: it was stopped, or is being debugged. */
export function hasStoodStill({ timeout }: { readonly timeout: number }, heldFor: number): boolean {
  return heldFor > timeout + STANDSTILL_MS;
}

/** The health after the outcome of a poll (law 15), and the signal of its status. */
export function nextHealth<A>(
  { state, now, settings }: Turn<A>,
  outcome: Outcome<A>,
  { contactAt, indexless }: Position,
  { attempt, rest }: Pace,
): Change {
  const { health } = state;
  /** When the next poll will be sent, on the wall clock. */
  const nextTry = now.at + rest.until - now.monotonic;
  switch (outcome.kind) {
    case 'contact': {
      const { answered } = outcome;
      const lastAnswer = answered && { lastAnswer: now.at };
      const isPaced = rest.until > now.monotonic;
      const hint = answered && answerHint(answered, indexless, isPaced);
      return withStatus(
        inContact(health, answered?.isFromService),
        { state: 'live', attempt, hint, ...lastAnswer },
        now,
      );
    }
    case 'echo':
      return afterQuiet(health, contactAt, now, { attempt, hint: CHECK_CACHE, nextTry });
    case 'cut':
      // If the process stood still, a cut says nothing about the network, either.
      if (hasStoodStill(settings, outcome.heldFor)) return { health, signals: [] };
      return afterQuiet(unheard(health, outcome.heldFor), contactAt, now, {
        attempt,
        hint: CHECK_CUTS,
        nextTry,
      });
    case 'failure': {
      const { heldFor, offline, error, hint } = outcome;
      const status = offline ? 'offline' : 'retrying';
      return withStatus(unheard(health, heldFor), { state: status, attempt, error, hint, nextTry }, now);
    }
    case 'end': {
      const { end } = outcome;
      const error = end.kind === 'error' ? end.error : undefined;
      return withStatus(health, { state: 'closed', error }, now);
    }
  }
}

/** The hint for answers that come, but do not lead anywhere. */
function answerHint(answered: Answered, indexless: number, isPaced: boolean): string | undefined {
  const { isNews, isAtOnce, hasMoved, isIndexRounded, isFromService } = answered;
  // The first answers of a log may come before it has an index.
  if (indexless >= 3) return isIndexRounded ? CHECK_ROUNDED : CHECK_INDEX_OF;
  if (isNews && isAtOnce && !hasMoved && isPaced) return CHECK_CACHE;
  return isFromService === false ? CHECK_SENDER : undefined;
}

/**
 * After a poll that ended without an answer, but did not fail, the status changes only if there has
 * been no answer for a while.
 */
function afterQuiet(
  health: Health,
  contactAt: Instant,
  now: Instant,
  change: Pick<WatchStatus, 'attempt' | 'hint' | 'nextTry'>,
): Change {
  if (health.isSure && ageOf(contactAt, now) < QUIET_MS) return { health, signals: [] };
  return withStatus(health, { state: 'retrying', ...change }, now);
}

/** A transition to a state with another health. */
export function healthTransition(
  state: WatchState,
  { health, signals }: Pick<Transition<never>, 'signals'> & Pick<WatchState, 'health'>,
  why?: PollEnd,
): Transition<never> {
  return { why, signals, state: { ...state, health } };
}
