import type { Recovery } from '../../error/index.js';
import { backoffDelay, spreadOver } from '../backoff.js';
import type { Instant } from '../clocks.js';
import type { WatchSettings } from '../watch-settings.js';
import { waitBeforeExpiry, withoutExpired } from './gap.js';
import { asked, paced } from './pace.js';
import { indexHint, unheard } from './status.js';
import { transitionTo, type Transition, type WatchState } from './watch-state.js';

/**
 * An index is tried once more from 7 to 2 s before it expires, in ms: many may have got theirs with
 * the same event.
 */
const LAST_CHANCE_MS = { latest: 2_000, spread: 5_000 };

type Retry = Extract<Recovery, { kind: 'retry' }>;

/** Why a poll has to be sent again, and how long it was held, in ms. */
interface RetryCause {
  readonly error?: unknown;
  readonly hint?: string;
  readonly heldFor: number;
}

/** A poll failed: another one follows after a backoff, without its index if that was the cause. */
export function retryTransition<A>(
  before: WatchState,
  { error, heldFor, ...trouble }: RetryCause,
  { after, dropsIndex, offline, hint }: Retry,
  now: Instant,
  settings: WatchSettings<A>,
): Transition<A> {
  const { health } = before;
  const { index } = before.position;
  const position =
    index !== undefined && dropsIndex === true
      ? { ...before.position, index: undefined, due: { reason: 'index_rejected', index } as const }
      : withoutExpired(before.position, before.askedAt, now, settings.retention);
  const attempt = health.status.attempt + 1;
  const backoff = backoffDelay(attempt, settings.backoff, settings.random(), after);
  const early = () => LAST_CHANCE_MS.latest + spreadOver(LAST_CHANCE_MS.spread, settings);
  const wait =
    after === undefined ? waitBeforeExpiry(position, backoff, now, settings.retention, early) : backoff;
  const pace = asked(paced(before.pace, now, settings, wait), now, after);
  const change = {
    state: offline ? 'offline' : 'retrying',
    attempt,
    nextTry: now.at + pace.rest.until - now.monotonic,
    error,
    hint:
      trouble.hint ??
      (health.isAnswered ? undefined : hint) ??
      (offline || after !== undefined || index === undefined
        ? undefined
        : indexHint(position.contactAt, now, settings.retention)),
  } as const;
  const next = { ...before, position, pace, health: unheard(health, heldFor) };
  return transitionTo(next, change, now, after === undefined ? 'failed' : 'retry_after');
}
