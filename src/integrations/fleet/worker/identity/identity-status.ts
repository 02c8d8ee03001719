import type { Gap, WatchStatus } from '../../../../stream/index.js';
import type { BareCheckpoint } from '../fleet-registry.js';

/** An event of an identity that is followed. */
export type IdentityEvent =
  /** A poll was sent. It ends after `timeout` ms at the latest. */
  | { readonly kind: 'polled'; readonly timeout: number }
  /** A poll waits for the rate limit. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'status'; readonly status: WatchStatus }
  /** Nothing is new up to this checkpoint. */
  | { readonly kind: 'checkpoint'; readonly checkpoint: BareCheckpoint }
  /** An answer is sent to NATS. */
  | { readonly kind: 'storing' }
  | { readonly kind: 'stored'; readonly events: number; readonly gap: Gap | undefined }
  /** Another worker had already stored a record when this one tried to. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'nats_error'; readonly error: unknown }
  /** The service rejects the identity. It is polled again in `retryIn` ms. */
  | { readonly kind: 'rejected'; readonly error: unknown; readonly retryIn: number };

/** The status of an identity that is followed. */
export interface IdentityStatus {
  readonly poll: 'starting' | 'live' | 'retrying' | 'rejected';
  /** When the last poll ends at the latest, on the monotonic clock. */
  readonly polledUntil: number;
  /** Whether NATS has not stored the last answer yet. */
  readonly isUnstored: boolean;
}

/** The status of an identity that has not been polled yet. */
export const STARTING: IdentityStatus = { poll: 'starting', polledUntil: -Infinity, isUnstored: false };

/** The status of an identity after an event. */
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
  // The watch begins again from the last stored record, so it no longer has an answer to store.
  if (state === 'connecting') return { ...status, isUnstored: false };
  return status;
}

/**
 * Whether the records of an identity are up to date. NATS has stored all answers, and the service
 * may be holding a poll now.
 */
export function isLive({ poll, polledUntil, isUnstored }: IdentityStatus, now: number): boolean {
  return poll === 'live' && !isUnstored && now <= polledUntil;
}
