import type { SeenRequest } from '../../world-view.js';

/**
 * How a request ended: it is still `open`; a poll had `news` or was `empty`; another request was
 * `answered`; the token was `refused`; the rate was `limited`; it `failed` with another status; its
 * connection was `lost`; or its client has `left`.
 */
export type OutcomeKind =
  'open' | 'news' | 'empty' | 'answered' | 'refused' | 'limited' | 'failed' | 'lost' | 'left';

/** What became of a request: every part of the page reads it here. */
export interface Outcome {
  readonly kind: OutcomeKind;
  /** Whether its client got no answer that it can go on from. */
  readonly isTrouble: boolean;
  /** A client that has sent nothing for this long after it is gone, in ms. */
  readonly patience: number;
  /** Whose doing it was, if it is trouble. */
  readonly reason: string;
  /** Whether its client needs another token. */
  readonly wantsToken: boolean;
}

/** After an answer, a client that watches polls again within this, in ms. */
const PACE_MS = 5_000;
/** The longest backoff of a client, and the longest wait that a service may ask for, in ms. */
const BACKOFF_MS = 35_000;
const LIMITED_MS = 900_000;

const PATIENCE: Readonly<Record<OutcomeKind, number>> = {
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

/** What became of a request. */
export function outcomeOf(request: SeenRequest): Outcome {
  const kind = kindOf(request);
  const reason = reasonOf(kind, request);
  return {
    kind,
    isTrouble: reason !== '',
    patience: PATIENCE[kind],
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
