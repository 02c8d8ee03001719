import type { SeenRequest } from '../../world-view.js';

/**
 * How a request ended:
 * - `open`: it has not ended yet.
 * - `news`, `empty`: a poll was answered, with news or without.
 * - `answered`: another request was answered.
 * - `refused`: the service rejected the token.
 * - `limited`: the service limited the rate.
 * - `failed`: the answer has another status than 200, or cannot be decoded.
 * - `lost`: the connection was lost.
 * - `left`: the client gave the request up.
 */
export type OutcomeKind =
  'open' | 'news' | 'empty' | 'answered' | 'refused' | 'limited' | 'failed' | 'lost' | 'left';

/** The outcome of a request. Every part of the page gets it from here. */
export interface Outcome {
  readonly kind: OutcomeKind;
  /** Whether its client got no answer from which it can continue. */
  readonly isTrouble: boolean;
  /** The cause of the trouble. Empty if there was no trouble. */
  readonly reason: string;
}

/** The outcome of a request, by its status and its end. */
export function outcomeOf(request: SeenRequest): Outcome {
  const kind = kindOf(request);
  const reason = reasonOf(kind, request);
  return { kind, isTrouble: reason !== '', reason };
}

function kindOf({
  ended_at,
  status,
  is_poll,
  has_news,
  ray_id,
  is_unreadable,
  settled,
}: SeenRequest): OutcomeKind {
  if (ended_at == null) return 'open';
  if (status == null) return 'left';
  if (status === 0) return 'lost';
  // A gate has its answer, although the player may be refused.
  if (settled !== undefined) return 'answered';
  // Only the service itself can say so.
  if ((status === 401 || status === 403) && ray_id !== undefined) return 'refused';
  if (status === 429) return 'limited';
  if (status !== 200 || is_unreadable) return 'failed';
  if (!is_poll) return 'answered';
  return has_news ? 'news' : 'empty';
}

function reasonOf(kind: OutcomeKind, { status, fault, ray_id }: SeenRequest): string {
  if (kind === 'lost') return 'the connection was lost';
  if (kind === 'limited') return 'the service limited its rate';
  if (kind === 'refused') return status === 401 ? 'its token was refused' : 'its token may not do that';
  if (kind !== 'failed') return '';
  if (status === 200) return 'its answer could not be decoded';
  if (ray_id !== undefined)
    return status === 404 ? 'there is no such thing' : `the service answered ${status}`;
  return `${fault === 'empty' ? 'a crashed service' : 'a proxy'} answered ${status}`;
}

/** The index with which a poll was sent. */
export function indexOf({ path }: Pick<SeenRequest, 'path'>): string | undefined {
  const [, index] = /[?&]watch_index=([^&]*)/.exec(path) ?? [];
  return index && decodeURIComponent(index);
}
