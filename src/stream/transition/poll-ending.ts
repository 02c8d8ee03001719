import { backoffDelay, ageOf, hasSlept, type Instant } from '../timing/index.js';
import type { Pace } from '../kept-paces.js';
import type { PollEnd, StatusChange } from '../watch-signal.js';
import type { Recovery } from '../../error/index.js';
import { dueGap, waitBeforeExpiry, withoutExpired } from './expiry.js';
import { restAtLeast, type Wait } from './pace.js';
import type { Position } from './position.js';
import {
  CHECK_CACHE,
  CHECK_CUTS,
  inContact,
  quietStatus,
  unheard,
  withStatus,
  type Health,
} from './status.js';
import type { Delivery, Transition, Turn, WatchEnd } from './watch-state.js';

/** How a poll ended. The wait before the next poll, and the time of that poll, follow from it. */
export interface PollEnding<A> extends Wait {
  readonly why: PollEnd;
  readonly position: Position;
  readonly health: Health;
  /** `undefined` if the status stays the same. */
  readonly status: StatusChange | undefined;
  /** Default: unchanged. */
  readonly pace?: Pace;
  /** Default: unchanged. */
  readonly needsFreshConnection?: boolean;
  readonly delivery?: Delivery<A>;
  readonly end?: WatchEnd;
}

/** The common end of all polls: the wait before the next poll, and the status that shows it. */
export function afterPoll<A>({ state, now, settings }: Turn<A>, ending: PollEnding<A>): Transition<A> {
  const { why, position, status, delivery, end } = ending;
  const pace = restAtLeast(ending.pace ?? state.pace, ending, now, settings);
  const { health, signals } = withStatus(ending.health, status && withNextTry(status, pace, now), now);
  const { needsFreshConnection = state.needsFreshConnection } = ending;
  return { why, signals, state: { ...state, position, pace, health, needsFreshConnection }, delivery, end };
}

/** When the next poll will be sent, on the wall clock, if the status says so. */
function withNextTry(status: StatusChange, { rest }: Pace, now: Instant): StatusChange {
  const isWaiting = status.state === 'retrying' || status.state === 'offline';
  return isWaiting ? { ...status, nextTry: now.at + rest.until - now.monotonic } : status;
}

/** The service was heard from. By default, it had no news. */
export function inContactEnding<A>({ state, now, settings }: Turn<A>, at: Instant = now): PollEnding<A> {
  return {
    why: 'no_news',
    position: {
      ...state.position,
      contactAt: answeredAt(state.askedAt, at, settings.timeout),
      isStale: false,
    },
    health: inContact(state.health),
    status: { state: 'live', attempt: 0 },
    needsFreshConnection: false,
  };
}

/** When the service sent an answer. The answer may have waited while the machine slept. */
function answeredAt(askedAt: Instant, arrivedAt: Instant, timeout: number): Instant {
  return hasSlept(askedAt, arrivedAt) || ageOf(askedAt, arrivedAt) > timeout ? askedAt : arrivedAt;
}

/**
 * The service itself has said that there is nothing new. The index is as old as before, since no
 * new one came.
 */
export function noNewsEnding<A>(turn: Turn<A>): PollEnding<A> {
  const { state, now, settings } = turn;
  const ending = inContactEnding(turn);
  const due = dueGap(state.position, state.askedAt, now, settings.retention);
  return { ...ending, position: { ...ending.position, due } };
}

/** A cache may have answered. The age of the index is no longer known. */
export function cachedEnding<A>({ state, now, settings }: Turn<A>): PollEnding<A> {
  const position = withoutExpired(state.position, state.askedAt, now, settings);
  return {
    why: 'stale',
    position: { ...position, isStale: true },
    health: state.health,
    status: quietStatus(state.health, position.contactAt, now, CHECK_CACHE),
  };
}

/**
 * How a poll was cut off. `heldFor` is how long it had been held, `spread` a wait that spreads the
 * next polls out, and `retryAfter` the wait that was asked for, all in ms.
 */
interface Cut {
  readonly heldFor: number;
  readonly spread: number;
  readonly retryAfter?: number | undefined;
}

/** A poll was cut off, which says nothing about the service. The next one may be answered. */
export function cutEnding<A>(turn: Turn<A>, { heldFor, spread, retryAfter }: Cut): PollEnding<A> {
  const { state, now, settings } = turn;
  const position = withoutExpired(state.position, state.askedAt, now, settings);
  const wait = Math.max(spread, retryAfter ?? 0);
  const cut = { why: 'cut', position, wait, retryAfter } as const;
  // If the process stood still, a cut says nothing about the network, either.
  if (hasStoodStill(turn, heldFor)) return { ...cut, health: state.health, status: undefined };
  const health = unheard(state.health, heldFor);
  return { ...cut, health, status: quietStatus(health, position.contactAt, now, CHECK_CUTS) };
}

/** A poll ends this late after its timeout, in ms, only if the process stood still. */
const STANDSTILL_MS = 5_000;

/** Whether the process stood still during a poll: it was stopped, or is being debugged. */
export function hasStoodStill<A>({ settings }: Turn<A>, heldFor: number): boolean {
  return heldFor > settings.timeout + STANDSTILL_MS;
}

/** How a poll is to be sent again. */
export type RetryRecovery = Omit<Extract<Recovery, { kind: 'retry' }>, 'kind'>;

/** Why a poll has to be sent again, and how long it was held, in ms. */
interface RetryCause {
  readonly error?: unknown;
  /** What to check. */
  readonly hint?: string | undefined;
  readonly heldFor: number;
  /** The number of failures in a row. Default: one more than before. */
  readonly attempt?: number;
}

/**
 * A poll failed. Another one follows after a backoff, without the index if that was the cause.
 * `backoffDelay` adds the wait that the service asked for.
 */
export function retryEnding<A>(
  { state, now, settings }: Turn<A>,
  cause: RetryCause,
  { retryAfter, dropsIndex, offline }: RetryRecovery = {},
): PollEnding<A> {
  const { health } = state;
  const { index } = state.position;
  const position: Position =
    index !== undefined && dropsIndex === true
      ? { ...state.position, index: undefined, due: { reason: 'index_rejected', index } }
      : withoutExpired(state.position, state.askedAt, now, settings);
  const { attempt = health.status.attempt + 1 } = cause;
  const backoff = backoffDelay(attempt, settings.backoff, settings.random(), retryAfter);
  return {
    why: retryAfter === undefined ? 'failed' : 'retry_after',
    position,
    health: unheard(health, cause.heldFor),
    status: {
      state: offline ? 'offline' : 'retrying',
      attempt,
      error: cause.error,
      hint: cause.hint,
    },
    wait: retryAfter === undefined ? waitBeforeExpiry(position, backoff, now, settings) : backoff,
    retryAfter,
  };
}

/** The watch is over. The wait is for the next subscriber of a feed. */
export function endedEnding<A>({ state }: Turn<A>, end: WatchEnd): PollEnding<A> {
  return {
    why: 'ended',
    position: state.position,
    health: state.health,
    status: { state: 'closed', error: end.kind === 'error' ? end.error : undefined },
    end,
  };
}
