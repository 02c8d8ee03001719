import type { SeenRequest } from '../../world-view.js';

/**
 * How a request ended:
 * - `open`: it has not ended yet.
 * - `news`, `empty`: a poll was answered, with news or without.
 * - `answered`: another request was answered.
 * - `refused`: the service rejected the token.
 * - `limited`: the service limited the rate.
 * - `failed`: the answer has another status than 200.
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
  /** A client that sends nothing for this long after the request counts as gone, in ms. */
  readonly patience: number;
  /** The cause of the trouble. Empty if there was no trouble. */
  readonly reason: string;
  /** Whether its client needs another token. */
  readonly wantsToken: boolean;
}

/** A client that watches polls again within this time after an answer, in ms. */
const PACE_MS = 5_000;
/** The longest backoff of a client, and the longest wait that a service may ask for, in ms. */
const BACKOFF_MS = 35_000;
const LIMITED_MS = 900_000;

const PATIENCE_MS: Readonly<Record<OutcomeKind, number>> = {
  open: Infinity,
  news: PACE_MS,
  empty: PACE_MS,
  answered: PACE_MS,
  refused: PACE_MS,
  limited: LIMITED_MS,
  failed: BACKOFF_MS,
  lost: BACKOFF_MS,
  left: 0,
};

/** The outcome of a request, by its status and its end. */
export function outcomeOf(request: SeenRequest): Outcome {
  const kind = kindOf(request);
  const reason = reasonOf(kind, request);
  return {
    kind,
    isTrouble: reason !== '',
    patience: PATIENCE_MS[kind],
    reason,
    wantsToken: request.status === 401,
  };
}

function kindOf({ ended_at, status, is_poll, has_news }: SeenRequest): OutcomeKind {
  if (ended_at == null) return 'open';
  if (status == null) return 'left';
  if (status === 0) return 'lost';
  if (status === 401 || status === 403) return 'refused';
  if (status === 429) return 'limited';
  if (status !== 200) return 'failed';
  if (!is_poll) return 'answered';
  return has_news ? 'news' : 'empty';
}

function reasonOf(kind: OutcomeKind, { status, fault }: SeenRequest): string {
  if (kind === 'lost') return 'the connection was lost';
  if (kind === 'limited') return 'the service limited its rate';
  if (kind === 'refused') return status === 401 ? 'its token was refused' : 'its token may not do that';
  if (kind !== 'failed') return '';
  if (status === 404) return 'there is no such thing';
  const who = fault === 'html' || status === 502 ? 'a proxy' : 'the service';
  return `${who} answered ${status}`;
}

/** The index with which a poll was sent. */
export function indexOf({ path }: Pick<SeenRequest, 'path'>): string | undefined {
  const [, query = ''] = path.split('?');
  return new URLSearchParams(query).get('watch_index') ?? undefined;
}
