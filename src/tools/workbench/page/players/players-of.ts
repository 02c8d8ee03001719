import type { WorldView } from '../../world-view.js';
import { outcomeOf, stateAt, type ClientRequests } from '../outcome/index.js';

/** The tones, from bad to good. */
const TONES = ['bad', 'warn', 'gone', 'ok'] as const;
export type Tone = (typeof TONES)[number];

/** How a client does, in words. */
interface Verdict {
  readonly tone: Tone;
  readonly words: string;
  /** Whether it has stopped for want of a token. */
  readonly wantsToken?: boolean;
}

/** All clients that send requests with the token of one identity or lobby. */
export interface Player {
  readonly who: string;
  readonly who_id: string;
  /** A verdict for each client, on the topic that does worst. */
  readonly clients: readonly Verdict[];
  /** The tone of the client that does worst. */
  readonly tone: Tone;
  readonly wantsToken: boolean;
  /** The topics that it watches. If it watches none, the topics of its other requests. */
  readonly topics: readonly string[];
  /** The requests of each client, by topic. */
  readonly clientRequests: readonly ClientRequests[];
}

/** What a verdict depends on, besides the requests. */
type ViewOfPlayers = Pick<WorldView, 'now' | 'identities'>;

/** How many topics of a player are named. */
const MAX_TOPICS = 4;

const worstFirst = (a: { readonly tone: Tone }, b: { readonly tone: Tone }) =>
  TONES.indexOf(a.tone) - TONES.indexOf(b.tone);

/** The players, those in trouble first. `now` is the clock of the service. */
export function playersOf(clients: readonly ClientRequests[], view: ViewOfPlayers): readonly Player[] {
  const byIdentity = new Map<string, ClientRequests[]>();
  for (const client of clients) {
    const own = byIdentity.get(client.who_id) ?? [];
    own.push(client);
    byIdentity.set(client.who_id, own);
  }
  const players = [...byIdentity.values()].map(own => playerOf(own, view));
  return players.sort(worstFirst);
}

function playerOf(own: readonly ClientRequests[], view: ViewOfPlayers): Player {
  const watching = own.filter(({ requests }) => requests.some(({ is_poll }) => is_poll));
  const clientRequests = watching.length > 0 ? watching : own;
  const numbers = [...new Set(clientRequests.map(({ nth }) => nth))].sort((a, b) => a - b);
  const clients = numbers.map(number => {
    const topics = clientRequests.filter(({ nth }) => nth === number);
    const verdicts = topics.map(client => verdictOn(client, view));
    // A topic that is no longer watched counts only if all are like that.
    const watched = verdicts.filter(verdict => verdict.tone !== 'gone');
    return worstOf(watched.length > 0 ? watched : verdicts);
  });
  const { tone, wantsToken = false } = worstOf(clients);
  const topics = [...new Set(clientRequests.map(({ topic }) => topic))].slice(-MAX_TOPICS);
  const { who, who_id } = own.at(-1)!;
  return { who, who_id, clients, tone, topics, clientRequests, wantsToken };
}

const worstOf = (verdicts: readonly Verdict[]): Verdict => [...verdicts].sort(worstFirst)[0]!;

/** How a client does: what it shows, and why. */
function verdictOn(client: ClientRequests, { now, identities }: ViewOfPlayers): Verdict {
  const { requests, history, who_id } = client;
  const shown = stateAt(history, now);
  const open = requests.find(({ ended_at }) => ended_at == null);
  const ended = requests.filter(({ ended_at }) => ended_at != null);
  const last = ended.sort((a, b) => a.ended_at! - b.ended_at!).at(-1);
  if (shown === 'live' || !last) {
    const waits = open && `waits ${wholeSeconds(now - open.at)}`;
    if (shown !== 'live') return { tone: 'warn', words: `connecting, ${waits}` };
    return { tone: 'ok', words: `live, ${waits ?? 'between two polls'}` };
  }
  const { kind, reason, isTrouble } = outcomeOf(last);
  const quiet = now - last.ended_at!;
  const ago = quiet < 500 ? 'just now' : `${wholeSeconds(quiet)} ago`;
  const words = isTrouble ? `${reason} ${ago}` : ago;
  if (shown === 'closed') {
    // A client that has stopped sends nothing that would show the new token.
    const isWithout = identities.some(({ identity_id, has_token }) => identity_id === who_id && !has_token);
    return {
      tone: 'bad',
      words: `stopped: ${words}`,
      wantsToken: isWithout && kind === 'refused' && last.status === 401,
    };
  }
  if (shown === 'gone')
    return { tone: 'gone', words: isTrouble ? `gone: ${words}, no request since` : `gone, ${ago}` };
  const trying = open ? 'tries again' : 'waits to try again';
  const doing = shown === 'connecting' ? 'connecting' : trying;
  return { tone: 'warn', words: isTrouble ? `${doing}: ${words}` : doing };
}

const wholeSeconds = (ms: number) => `${Math.max(0, Math.round(ms / 1_000))} s`;
