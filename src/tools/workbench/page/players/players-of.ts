import { HELD_MS } from '../../../../error/index.js';
import type { SeenRequest, WorldView } from '../../world-view.js';
import { outcomeOf, topicOf } from '../outcome/index.js';

/** From bad to good. */
const TONES = ['bad', 'warn', 'ok', 'gone'] as const;
export type Tone = (typeof TONES)[number];

/** What is known of something that a player watches, or has asked for. */
interface Verdict {
  readonly tone: Tone;
  readonly words: string;
  readonly remedy?: 'token' | 'faults';
}

/** Those who send requests with the token of one identity or lobby. */
export interface Player extends Verdict {
  readonly who: string;
  readonly who_id: string;
  /** What it watches, or has asked for. */
  readonly topics: readonly string[];
}

/** How many things are named that a player watches. */
const MOST = 4;

/** The players, by their last requests. `now` is the clock of the service. */
export function playersOf(
  requests: readonly SeenRequest[],
  { groups, now, planned }: Pick<WorldView, 'groups' | 'now' | 'planned'>,
): readonly Player[] {
  return Array.from(
    groupedBy(requests, ({ who_id }) => who_id),
    ([who_id, own]) => {
      const polls = own.filter(({ is_poll }) => is_poll);
      const byTopic = groupedBy(polls.length > 0 ? polls : own, ({ path }) => topicOf(path, groups));
      const verdicts = [...byTopic.values()].map(some => verdictOn(some, now, planned.length > 0));
      const worst = verdicts.sort((a, b) => TONES.indexOf(a.tone) - TONES.indexOf(b.tone))[0]!;
      return { ...worst, who: own.at(-1)!.who, who_id, topics: [...byTopic.keys()].slice(-MOST) };
    },
  );
}

function verdictOn(own: readonly SeenRequest[], now: number, hasFaults: boolean): Verdict {
  const ended = own.filter(({ ended_at }) => ended_at != null).sort((a, b) => a.ended_at! - b.ended_at!);
  const last = ended.at(-1);
  const outcome = last && outcomeOf(last);
  const isBad = outcome?.isTrouble === true;
  const open = own.filter(({ ended_at }) => ended_at == null);
  const held = open.find(({ at }) => !isBad || now - at >= HELD_MS);
  if (held) return { tone: 'ok', words: `live, waits ${seconds(now - held.at)}` };
  if (!last || !outcome) return { tone: 'gone', words: 'gone' };
  const quiet = now - last.ended_at!;
  const ago = quiet < 500 ? 'just now' : `${seconds(quiet)} ago`;
  const isSilent = open.length === 0 && quiet >= outcome.patience;
  if (last.status === 401) {
    const refused = `its token was refused ${ago}`;
    const words = isSilent ? `stopped: ${refused}, no request since` : refused;
    return { tone: 'bad', words, remedy: 'token' };
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

const seconds = (ms: number) => `${Math.max(0, Math.round(ms / 1_000))} s`;

function groupedBy<K, T>(all: readonly T[], keyOf: (one: T) => K): ReadonlyMap<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one)) ?? [];
    groups.set(keyOf(one), group);
    group.push(one);
  }
  return groups;
}
