import { HELD_MS } from '../../../../error/index.js';
import type { SeenRequest } from '../../world-view.js';
import { indexOf, outcomeOf, type ClientRequests } from '../outcome/index.js';

/** Consecutive requests of one client that met a fault or failed, and how that ended. */
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
   * valid token to try with (`stopped`).
   */
  readonly state: 'back' | 'retrying' | 'gone' | 'stopped';
  /** Whether the client continued from the index that it had before. */
  readonly isWhole: boolean;
}

const isHit = (request: SeenRequest) => outcomeOf(request).isTrouble || request.fault !== undefined;

/** Whether the client can continue from its answer, even if the request met a fault. */
const hasAnswer = (request: SeenRequest) => !outcomeOf(request).isTrouble && request.next_index !== undefined;

/** Whether the service held the request, so that the client was live again. */
const isHeld = (request: SeenRequest, now: number) =>
  indexOf(request) !== undefined && (request.ended_at ?? now) - request.at >= HELD_MS;

/** The spells of trouble of a client. */
export function spellsOf(client: ClientRequests, now: number): readonly Spell[] {
  const spells: Spell[] = [];
  let hits: SeenRequest[] = [];
  for (const request of client.requests) {
    const last = hits.at(-1);
    if (last && (!isHit(request) || hasAnswer(last) || isHeld(request, now))) {
      spells.push(spellOf(client, hits, request, now));
      hits = [];
    }
    if (isHit(request)) hits.push(request);
  }
  if (hits.length > 0) spells.push(spellOf(client, hits, undefined, now));
  return spells;
}

function spellOf(
  client: ClientRequests,
  hits: readonly SeenRequest[],
  next: SeenRequest | undefined,
  now: number,
): Spell {
  const first = hits[0]!;
  const last = hits.at(-1)!;
  const from = first.ended_at ?? first.at;
  const isWhole = next !== undefined && indexOf(next) === indexOf(first);
  const common = { client, hits, from, isWhole, ...(next && { next }) };
  if (next) {
    const heldAt = next.at + HELD_MS;
    const { kind } = outcomeOf(next);
    if (kind === 'left') return { ...common, state: 'gone' };
    const backAt = kind === 'open' ? heldAt : Math.min(next.ended_at!, heldAt);
    return backAt <= now ? { ...common, backAt, state: 'back' } : { ...common, state: 'retrying' };
  }
  const { kind, patience } = outcomeOf(last);
  // The card of its player says the same: it has stopped until it sends another token.
  if (kind === 'refused') return { ...common, state: 'stopped' };
  const isSilent = last.ended_at !== undefined && now - last.ended_at >= patience;
  return { ...common, state: isSilent ? 'gone' : 'retrying' };
}
