import { HELD_MS } from '../../../../error/index.js';
import type { SeenRequest, WorldView } from '../../world-view.js';
import { clientsOf, outcomeOf, type ClientRequests } from '../outcome/index.js';

/** The tones, from bad to good. */
const TONES = ['bad', 'warn', 'gone', 'ok'] as const;
export type Tone = (typeof TONES)[number];

/** How a client does, in words, and the command that would help it. */
interface Verdict {
  readonly tone: Tone;
  readonly words: string;
  readonly remedy?: 'token' | 'faults';
}

/** All clients that send requests with the token of one identity or lobby. */
export interface Player {
  readonly who: string;
  readonly who_id: string;
  /** A verdict for each client, on the topic that does worst. */
  readonly clients: readonly Verdict[];
  /** The tone of the client that does worst. */
  readonly tone: Tone;
  readonly remedy?: 'token' | 'faults';
  /** The topics that it watches. If it watches none, the topics of its other requests. */
  readonly topics: readonly string[];
  /** The requests of each client, by topic. */
  readonly clientRequests: readonly ClientRequests[];
}

/** How many topics of a player are named. */
const MAX_TOPICS = 4;

const worstFirst = (a: { readonly tone: Tone }, b: { readonly tone: Tone }) =>
  TONES.indexOf(a.tone) - TONES.indexOf(b.tone);

/** The players, those in trouble first. `now` is the clock of the service. */
export function playersOf(
  requests: readonly SeenRequest[],
  { groups, now, planned }: Pick<WorldView, 'groups' | 'now' | 'planned'>,
): readonly Player[] {
  const byIdentity = new Map<string, ClientRequests[]>();
  for (const client of clientsOf(requests, groups)) {
    const own = byIdentity.get(client.who_id) ?? [];
    own.push(client);
    byIdentity.set(client.who_id, own);
  }
  const players = [...byIdentity.values()].map(own => playerOf(own, now, planned.length > 0));
  return players.sort(worstFirst);
}

function playerOf(own: readonly ClientRequests[], now: number, hasFaults: boolean): Player {
  const watching = own.filter(({ requests }) => requests.some(({ is_poll }) => is_poll));
  const clientRequests = watching.length > 0 ? watching : own;
  const numbers = [...new Set(clientRequests.map(({ nth }) => nth))].sort((a, b) => a - b);
  const clients = numbers.map(number => {
    const topics = clientRequests.filter(({ nth }) => nth === number);
    const verdicts = topics.map(({ requests }) => verdictOn(requests, now, hasFaults));
    // A topic that is no longer watched counts only if all are like that.
    const watched = verdicts.filter(verdict => verdict.tone !== 'gone');
    return worstOf(watched.length > 0 ? watched : verdicts);
  });
  const { tone, remedy } = worstOf(clients);
  const topics = [...new Set(clientRequests.map(({ topic }) => topic))].slice(-MAX_TOPICS);
  const { who, who_id } = own.at(-1)!;
  return { who, who_id, clients, tone, topics, clientRequests, ...(remedy && { remedy }) };
}

const worstOf = (verdicts: readonly Verdict[]): Verdict => [...verdicts].sort(worstFirst)[0]!;

function verdictOn(own: readonly SeenRequest[], now: number, hasFaults: boolean): Verdict {
  const ended = own.filter(({ ended_at }) => ended_at != null).sort((a, b) => a.ended_at! - b.ended_at!);
  const last = ended.at(-1);
  const outcome = last && outcomeOf(last);
  const isBad = outcome?.isTrouble === true;
  const open = own.filter(({ ended_at }) => ended_at == null);
  const held = open.find(({ at }) => !isBad || now - at >= HELD_MS);
  if (held) return { tone: 'ok', words: `live, waits ${wholeSeconds(now - held.at)}` };
  if (!last || !outcome) return { tone: 'gone', words: 'gone' };
  const quiet = now - last.ended_at!;
  const ago = quiet < 500 ? 'just now' : `${wholeSeconds(quiet)} ago`;
  const isSilent = open.length === 0 && quiet >= outcome.patience;
  if (outcome.kind === 'refused') {
    const refused = `${outcome.reason} ${ago}`;
    const words = isSilent ? `stopped: ${refused}, no request since` : refused;
    return { tone: 'bad', words, ...(outcome.wantsToken && { remedy: 'token' }) };
  }
  if (isBad) {
    const words = `${outcome.reason} ${ago}`;
    const remedy = last.fault !== undefined && hasFaults ? { remedy: 'faults' as const } : {};
    if (open.length > 0) return { tone: 'warn', words: `tries again: ${words}`, ...remedy };
    if (isSilent) return { tone: 'gone', words: `gone: ${words}, no request since` };
    return { tone: 'warn', words: `waits to try again: ${words}`, ...remedy };
  }
  if (isSilent) return { tone: 'gone', words: `gone, ${ago}` };
  return { tone: 'ok', words: 'live, between two polls' };
}

const wholeSeconds = (ms: number) => `${Math.max(0, Math.round(ms / 1_000))} s`;
