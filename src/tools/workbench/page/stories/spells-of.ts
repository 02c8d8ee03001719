import type { SeenRequest } from '../../world-view.js';
import { indexOf, liveFrom, outcomeOf, stateAt, type ClientRequests } from '../outcome/index.js';

/** Consecutive requests of one client that met the same fault or failed, and how that ended. */
export interface Spell {
  readonly client: ClientRequests;
  readonly hits: readonly SeenRequest[];
  /** When the first of them failed, in ms since 1970. */
  readonly from: number;
  /** The request after the failed ones, with which the client tries again. */
  readonly next?: SeenRequest;
  /** When its client was live again. */
  readonly backAt?: number;
  /**
   * The client is `back`, tries again (`retrying`), has sent nothing since (`gone`), or has no
   * valid token to try with (`stopped`). Or its next request met something else (`followed`).
   */
  readonly state: 'back' | 'retrying' | 'gone' | 'stopped' | 'followed';
  /** Whether the client continued from the index that it had before. */
  readonly isWhole: boolean;
}

const isHit = (request: SeenRequest) => outcomeOf(request).isTrouble || request.fault !== undefined;

/** The spells of trouble of a client. Each has one cause. */
export function spellsOf(client: ClientRequests, now: number): readonly Spell[] {
  const { requests } = client;
  const groups: SeenRequest[][] = [];
  for (const request of requests.filter(isHit)) {
    const group = groups.at(-1);
    if (group && isOfSameSpell(client, group.at(-1)!, request, now)) group.push(request);
    else groups.push([request]);
  }
  return groups.map(hits => spellOf(client, hits, requests[requests.indexOf(hits.at(-1)!) + 1], now));
}

/** Whether a request met what the one before it met, and its client was not live in between. */
function isOfSameSpell(
  { history }: ClientRequests,
  before: SeenRequest,
  request: SeenRequest,
  now: number,
): boolean {
  if (before.cause !== request.cause) return false;
  // The hits of one action are one spell. A poll that is cut off leaves its client live.
  if (request.cause !== undefined) return true;
  // An outage has many faces. A token that the service rejects is another matter.
  const isRefused = (hit: SeenRequest) => outcomeOf(hit).kind === 'refused';
  if (isRefused(before) !== isRefused(request)) return false;
  const backAt = liveFrom(history, before.ended_at ?? now) ?? Infinity;
  return backAt >= (request.ended_at ?? now);
}

function spellOf(
  client: ClientRequests,
  hits: readonly SeenRequest[],
  next: SeenRequest | undefined,
  now: number,
): Spell {
  const first = hits[0]!;
  const last = hits.at(-1)!;
  const isWhole = next !== undefined && indexOf(next) === indexOf(first);
  const spell = { client, hits, from: first.ended_at ?? first.at, isWhole, ...(next && { next }) };
  if (last.ended_at === undefined) return { ...spell, state: 'retrying' };
  const backAt = next && liveFrom(client.history, last.ended_at);
  const isFollowed = next?.ended_at !== undefined && isHit(next) && (backAt ?? Infinity) >= next.ended_at;
  if (isFollowed) return { ...spell, state: 'followed' };
  if (backAt !== undefined && backAt <= now) return { ...spell, backAt, state: 'back' };
  // Without another request, nothing shows that the token was renewed.
  if (!next && outcomeOf(last).kind === 'refused') return { ...spell, state: 'stopped' };
  const shown = stateAt(client.history, now);
  if (shown === 'closed') return { ...spell, state: 'stopped' };
  return { ...spell, state: shown === 'gone' ? 'gone' : 'retrying' };
}
