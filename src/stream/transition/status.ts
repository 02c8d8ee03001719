import { HELD_MS } from '../../error/index.js';
import { ageOf, type Instant } from '../timing/index.js';
import {
  changedStatus,
  connecting,
  type StatusChange,
  type WatchSignal,
  type WatchStatus,
} from '../watch-signal.js';

/** What a person should know about a watch (law 15). */
export interface Health {
  readonly status: WatchStatus;
  /**
   * A poll that is held this long, in ms, shows that the service is well. It is longer than the
   * poll before was held, if that ended without an answer.
   */
  readonly heldAfter: number;
  /** Whether the service has answered. If so, its URL is right. */
  readonly isAnswered: boolean;
  /** Whether the browser says that it has no network, and the service has said nothing since. */
  readonly isOffline: boolean;
  /**
   * Whether the service has been heard from since the browser last said that it has a network
   * again.
   */
  readonly isSure: boolean;
}

/** A new health, and the signal of its status, if the status says something new. */
interface Change {
  readonly health: Health;
  readonly signals: readonly WatchSignal<never>[];
}

/** After this long without contact, in ms, the status says so. */
const QUIET_MS = 150_000;

/**
 * How long a poll has to be held, in ms, after the browser has said that it has a network again.
 */
const ONLINE_MS = 5_000;

const CHECK_NETWORK = 'the browser says it is offline; polls go on';
const CHECK_INDEX = 'each poll from this index fails: is it still known? See `dropsIndex`';
/** What to check if polls are cut off, or are answered by a cache. */
export const CHECK_CUTS =
  'no answer for a while: does a proxy cut polls off before 60 s, or is the timeout too short?';
const CHECK_FIRST = 'a poll without an index is held: does the first request wait for news?';
export const CHECK_CACHE = 'polls are answered at once, with the same index: does a cache answer?';

export function firstHealth(now: Instant, lastAnswer: number | undefined): Health {
  const status = connecting(now.at, lastAnswer);
  return { status, heldAfter: HELD_MS, isAnswered: false, isOffline: false, isSure: true };
}

/**
 * The health with another status, if one is given. While the browser is offline, that is taken for
 * the cause.
 */
export function withStatus(health: Health, change: StatusChange | undefined, now: Instant): Change {
  if (!change) return { health, signals: [] };
  const isOffline = health.isOffline && (change.state === 'retrying' || change.state === 'connecting');
  const shown = isOffline ? offlineChange(change) : change;
  const { status, signals } = changedStatus(health.status, shown, now.at);
  return { health: { ...health, status }, signals };
}

function offlineChange(change: StatusChange): StatusChange {
  return { ...change, state: 'offline', hint: change.hint ?? CHECK_NETWORK };
}

/** The service was heard from. */
export function inContact(health: Health): Health {
  return { ...health, heldAfter: HELD_MS, isAnswered: true, isOffline: false, isSure: true };
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

/**
 * The status after a poll that ended without an answer, but did not fail. It changes only if there
 * has been no answer for a while.
 */
export function quietStatus(
  { isSure, status }: Health,
  contactAt: Instant,
  now: Instant,
  hint: string,
): StatusChange | undefined {
  if (isSure && ageOf(contactAt, now) < QUIET_MS) return undefined;
  return { state: 'retrying', attempt: status.attempt, hint };
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
export function unheard(health: Health, heldFor: number): Health {
  return health.heldAfter === Infinity ? health : { ...health, heldAfter: heldFor + HELD_MS };
}

/**
 * The hint for a poll that fails again and again at a service that forgets nothing, for no other
 * known reason.
 */
export function indexHint(contactAt: Instant, now: Instant, retention: number): string | undefined {
  return retention === Infinity && ageOf(contactAt, now) >= QUIET_MS ? CHECK_INDEX : undefined;
}
