import type { Gap, WatchStatus } from '../../../../stream/index.js';
import type { BareCheckpoint } from '../fleet-registry.js';

/** What happens to an identity that is followed. */
export type IdentityEvent =
  /** A poll is sent. It is over after `timeout` ms at most. */
  | { readonly kind: 'polled'; readonly timeout: number }
  /** A poll waits for the rate limit. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'status'; readonly status: WatchStatus }
  /** There is nothing new up to this checkpoint. */
  | { readonly kind: 'checkpoint'; readonly checkpoint: BareCheckpoint }
  /** NATS is asked to store an answer. */
  | { readonly kind: 'storing' }
  | { readonly kind: 'stored'; readonly events: number; readonly gap: Gap | undefined }
  /** Another worker had stored what this one was about to store. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'nats_error'; readonly error: unknown }
  /** The service refuses to answer for it. It is asked again in `retryIn` ms. */
  | { readonly kind: 'rejected'; readonly error: unknown; readonly retryIn: number };

/** What is known of an identity that is followed. */
export interface IdentityStatus {
  readonly poll: 'starting' | 'live' | 'retrying' | 'rejected';
  /** When the last poll that was sent is over at the latest, on the monotonic clock. */
  readonly polledUntil: number;
  /** Whether NATS has not stored the last answer yet. */
  readonly isUnstored: boolean;
}

/** The status of an identity that has not been polled yet. */
export const STARTING: IdentityStatus = { poll: 'starting', polledUntil: -Infinity, isUnstored: false };

/** The status of an identity after something has happened to it. */
export function statusAfter(status: IdentityStatus, event: IdentityEvent, now: number): IdentityStatus {
  switch (event.kind) {
    case 'polled':
      return { ...status, polledUntil: now + event.timeout };
    case 'storing':
      return { ...status, isUnstored: true };
    case 'stored':
    case 'conflict':
      return { ...status, isUnstored: false };
    case 'rejected':
      return { ...status, poll: 'rejected', isUnstored: false };
    case 'status':
      return afterPoll(status, event.status);
    default:
      return status;
  }
}

function afterPoll(status: IdentityStatus, { state }: WatchStatus): IdentityStatus {
  if (state === 'live') return { ...status, poll: 'live' };
  if (state === 'retrying' || state === 'offline') return { ...status, poll: 'retrying' };
  // The watch begins again, from what NATS has stored: it has given up what it was about to store.
  if (state === 'connecting') return { ...status, isUnstored: false };
  return status;
}

/**
 * Whether nothing that the service says of an identity is missing: NATS has stored all of it, and a
 * poll may be held now.
 */
export function isLive({ poll, polledUntil, isUnstored }: IdentityStatus, now: number): boolean {
  return poll === 'live' && !isUnstored && now <= polledUntil;
}
