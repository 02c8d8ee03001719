import type { SeenAction, SeenRequest, WorldView } from '../../world-view.js';
import {
  clientsOf,
  deliveriesOf,
  isSent,
  outcomeOf,
  type EventDelivery,
  type ClientRequests,
} from '../outcome/index.js';
import { endOfDeliveries, endOfSpells, stepsOf, stepsOfDelivery, type End, type Step } from './ends-of.js';
import { spellsOf, type Spell } from './spells-of.js';
import { actionInWords, kindOf } from './words.js';

/** The effect of a story on one client. */
export interface Effect {
  readonly key: string;
  readonly who: string;
  readonly who_id: string;
  readonly client?: ClientRequests;
  readonly steps: readonly Step[];
  /** How long it took, in ms. */
  readonly took?: number;
}

/**
 * A cause, its effect on each client that met it, and how it ended. Polls without news are together
 * one `quiet` story.
 */
export interface Story {
  readonly kind: 'you' | 'trouble' | 'event' | 'quiet';
  readonly key: string;
  readonly at: number;
  /** The time of its last step. */
  readonly until: number;
  readonly title: string;
  /** The identity that the story itself is about. */
  readonly who_id?: string;
  readonly actions: readonly SeenAction[];
  readonly effects: readonly Effect[];
  readonly end: End;
}

/** The data from which the stories are made. */
export interface StoryData extends Pick<
  WorldView,
  'groups' | 'identities' | 'now' | 'planned' | 'retention'
> {
  readonly requests: readonly SeenRequest[];
  readonly actions: readonly SeenAction[];
}

const BREAKS = /^(?:break|fault(?! off))\b/;
/** Spells of several clients that begin within this time are one outage, in ms. */
const TOGETHER_MS = 2_000;
/** How many clients are named that were not affected. */
const MAX_UNHURT = 3;

/** All stories, the newest first. */
export function storiesOf(data: StoryData): readonly Story[] {
  const { requests, groups, actions, now } = data;
  const clients = clientsOf(requests, groups);
  const spells = clients.flatMap(client => spellsOf(client, now));
  const caused = new Map<SeenAction | undefined, Spell[]>();
  for (const spell of spells) {
    const cause = causeOf(spell, actions);
    caused.set(cause, [...(caused.get(cause) ?? []), spell]);
  }
  const own = actions.map(action => storyOfAction(action, caused.get(action) ?? [], clients, data));
  const troubles = outagesOf(caused.get(undefined) ?? []).map(outage => storyOfTrouble(outage));
  const hits = new Set(spells.flatMap(spell => spell.hits));
  const rest = requests.filter(request => !hits.has(request)).flatMap(request => storyOf(request, actions));
  const all = [...own, ...troubles, ...rest].sort((a, b) => a.at - b.at);
  // Polls without news are left out, unless a client gave its poll up.
  return folded(all.filter(({ kind, title }) => kind !== 'quiet' || title !== '')).reverse();
}

/** The action that caused a spell: the last fault before it, or the expiry of its token. */
function causeOf({ hits, from, client }: Spell, actions: readonly SeenAction[]): SeenAction | undefined {
  const before = actions.filter(({ at }) => at <= from);
  const isRefused = outcomeOf(hits[0]!).kind === 'refused';
  const ends = (action: SeenAction) =>
    action.line.startsWith('token expire') && action.who_id === client.who_id;
  if (isRefused) return before.filter(ends).at(-1);
  const isPlanned = hits.some(({ fault }) => fault !== undefined);
  return isPlanned ? before.filter(action => BREAKS.test(action.line)).at(-1) : undefined;
}

/** The spells in groups. Those of a group have the same reason and began at about the same time. */
function outagesOf(spells: readonly Spell[]): readonly Spell[][] {
  const outages: Spell[][] = [];
  const reasonOf = ({ hits }: Spell) => outcomeOf(hits[0]!).reason;
  for (const spell of [...spells].sort((a, b) => a.from - b.from)) {
    const other = outages.find(
      ([first]) => reasonOf(first!) === reasonOf(spell) && spell.from - first!.from < TOGETHER_MS,
    );
    if (other) other.push(spell);
    else outages.push([spell]);
  }
  return outages;
}

function storyOfAction(
  action: SeenAction,
  spells: readonly Spell[],
  clients: readonly ClientRequests[],
  data: StoryData,
): Story {
  const { identities, now, retention, planned } = data;
  const nameOf = (id: string) =>
    identities.find(({ identity_id }) => identity_id === id)?.display_name ??
    clients.find(({ who_id }) => who_id === id)?.who ??
    'someone';
  const base = {
    kind: 'you' as const,
    key: `a${action.id}`,
    at: action.at,
    title: `You: ${actionInWords(action, nameOf)}`,
    who_id: action.who_id,
    actions: [action],
  };
  const isBreak = BREAKS.test(action.line);
  if (isBreak || spells.length > 0) {
    const effects = [
      ...spells.map(spell => effectOf(spell)),
      ...(isBreak ? unhurt(action, spells, clients) : []),
    ];
    const end = endOfSpells(spells, planned.length > 0);
    return { ...base, until: untilOf(spells, action.at), effects, end };
  }
  const deliveries = deliveriesOf(action, clients, retention).filter(isWorthIt);
  const effects = deliveries.map(delivery => ({
    ...effectFor(delivery.client),
    steps: stepsOfDelivery(delivery, now),
    ...(delivery.answer && { took: delivery.answer.ended_at! - delivery.sentAt }),
  }));
  const until = Math.max(
    action.at,
    ...deliveries.map(({ proof, answer }) => proof?.at ?? answer?.ended_at ?? 0),
  );
  return { ...base, until, effects, end: endOfDeliveries(deliveries, isSent(action), now - action.at) };
}

/** Leaves out a client that waits while another client of its identity got the event. */
const isWorthIt = ({ state, client }: EventDelivery, _: number, all: readonly EventDelivery[]) =>
  state !== 'waits' || !all.some(other => other.client.who_id === client.who_id && other.state !== 'waits');

const effectFor = (client: ClientRequests) => ({
  key: `${client.who_id} ${client.topic} ${client.nth}`,
  who: client.nth === 0 ? client.who : `${client.who} (${client.nth + 1})`,
  who_id: client.who_id,
  client,
});

const effectOf = (spell: Spell): Effect => ({
  ...effectFor(spell.client),
  steps: stepsOf(spell),
  ...(spell.backAt !== undefined && { took: spell.backAt - spell.from }),
});

/** The clients that a fault did not affect, and why not. */
function unhurt(
  action: SeenAction,
  spells: readonly Spell[],
  clients: readonly ClientRequests[],
): readonly Effect[] {
  const met = new Set(spells.map(({ client }) => client.who_id));
  const wasLive = ({ who_id, requests }: ClientRequests) =>
    !met.has(who_id) && requests.some(request => request.at <= action.at && request.next_index !== undefined);
  const others = new Map(clients.filter(wasLive).map(client => [client.who_id, client]));
  return [...others.values()].slice(0, MAX_UNHURT).map(client => {
    const last = client.requests.filter(({ at }) => at <= action.at).at(-1);
    const wasThere = last !== undefined && (last.ended_at ?? Infinity) > action.at;
    const words = wasThere ? 'met nothing' : 'was not connected: met nothing';
    return { ...effectFor(client), steps: [{ at: action.at, tone: 'gone', words, short: words }] };
  });
}

function storyOfTrouble(spells: readonly Spell[]): Story {
  const [{ hits, client, from }] = spells as [Spell];
  const { kind, reason } = outcomeOf(hits[0]!);
  const all = [...new Set(spells.map(({ client }) => client.who))];
  const who = all.length > 2 ? `${all.length} players` : all.join(', ');
  const why = reason || `the fault ${hits[0]!.fault}`;
  return {
    kind: 'trouble',
    key: `t${hits[0]!.id}`,
    at: from,
    until: untilOf(spells, from),
    title: kind === 'refused' ? `${who} was refused` : `${who}: ${why}`,
    who_id: client.who_id,
    actions: [],
    effects: spells.map(spell => effectOf(spell)),
    end: endOfSpells(spells, false),
  };
}

const untilOf = (spells: readonly Spell[], at: number) =>
  Math.max(at, ...spells.map(({ backAt, hits }) => backAt ?? hits.at(-1)!.ended_at ?? at));

/** Events that no action of this page caused, and polls without news. */
function storyOf(request: SeenRequest, actions: readonly SeenAction[]): readonly Story[] {
  const { ended_at, events, who, who_id, id } = request;
  if (ended_at === undefined) return [];
  const common = { at: ended_at, until: ended_at, who_id, actions: [] as const };
  const effects = [{ key: who_id, who, who_id, steps: [] }];
  if (events.length === 0) {
    const title = outcomeOf(request).kind === 'left' ? `${who} has left` : '';
    return [{ ...common, kind: 'quiet', key: `q${id}`, title, effects, end: { tone: 'gone', words: '' } }];
  }
  const unclaimed = events.filter(({ at }) => !actions.some(({ after, until }) => at > after && at <= until));
  return unclaimed.map((event, i) => ({
    ...common,
    kind: 'event',
    key: `e${id} ${i}`,
    title: `${who} got ${kindOf(event.kind)}: ${event.text}`,
    effects,
    end: { tone: 'gone', words: '' },
  }));
}

/**
 * Joins consecutive stories that are alike. These are commands without an effect, and polls without
 * news.
 */
function folded(stories: readonly Story[]): Story[] {
  const all: Story[] = [];
  for (const story of stories) {
    const last = all.at(-1);
    if (!last || likenessOf(last) === undefined || likenessOf(last) !== likenessOf(story)) all.push(story);
    else {
      all[all.length - 1] = {
        ...story,
        key: last.key,
        // The time of the first one, because a list that someone reads holds back newer stories.
        at: last.at,
        title: story.title || last.title,
        actions: [...last.actions, ...story.actions],
        effects: [...last.effects, ...story.effects],
      };
    }
  }
  return all;
}

function likenessOf({ kind, actions, effects, end }: Story): string | undefined {
  if (kind === 'quiet') return 'quiet';
  return kind === 'you' && effects.length === 0 && end.words === ''
    ? actions[0]!.line.split(' ')[0]
    : undefined;
}
