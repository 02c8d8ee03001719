import type { SeenAction, SeenRequest } from '../../world-view.js';
import { faultInWords } from '../actions/index.js';
import { deliveriesOf, madeBy, outcomeOf } from '../outcome/index.js';
import { effectOf, untilOf } from './effect-of.js';
import { endOfSpells } from './ends-of.js';
import { spellsOf, type Spell } from './spells-of.js';
import { storyOfAction } from './story-of-action.js';
import type { Story, StoryData } from './story.js';
import { kindInWords } from './words.js';

/** Spells of several clients that begin within this time are one outage, in ms. */
const TOGETHER_MS = 2_000;

/** All stories, the newest first. */
export function storiesOf(data: StoryData): readonly Story[] {
  const { requests, clients, actions, now, retention } = data;
  const spells = clients.flatMap(client => spellsOf(client, now));
  const caused = new Map<SeenAction | undefined, Spell[]>();
  for (const spell of spells) {
    const cause = causeOf(spell, actions);
    caused.set(cause, [...(caused.get(cause) ?? []), spell]);
  }
  const deliveries = deliveriesOf(actions, clients, retention);
  const own = actions.map(action =>
    storyOfAction(action, caused.get(action) ?? [], deliveries.get(action)!, data),
  );
  const troubles = outagesOf(caused.get(undefined) ?? []).map(outage => storyOfTrouble(outage));
  const hits = new Set(spells.flatMap(spell => spell.hits));
  const rest = requests
    .filter(request => !hits.has(request))
    .flatMap(request => storiesOfRequest(request, actions));
  const all = [...own, ...troubles, ...rest].sort((a, b) => a.at - b.at);
  // Polls without news are left out, unless a client gave its poll up.
  return folded(all.filter(({ kind, title }) => kind !== 'quiet' || title !== '')).reverse();
}

/** The action that caused a spell. `undefined` if none of this page did. */
function causeOf({ hits }: Spell, actions: readonly SeenAction[]): SeenAction | undefined {
  return actions.find(({ id }) => id === hits[0]!.cause);
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

function storyOfTrouble(spells: readonly Spell[]): Story {
  const { hits, client, from } = spells[0]!;
  const hit = hits[0]!;
  const { kind, reason } = outcomeOf(hit);
  const all = [...new Set(spells.map(({ client }) => client.who))];
  const who = all.length > 2 ? `${all.length} players` : all.join(', ');
  const why = reason || faultInWords(hit.fault!);
  return {
    kind: 'trouble',
    key: `t${hit.id}`,
    at: from,
    until: untilOf(spells, from),
    title: kind === 'refused' ? `${who} was refused` : `${who}: ${why}`,
    who_id: client.who_id,
    actions: [],
    effects: spells.map(spell => effectOf(spell)),
    end: endOfSpells(spells, false),
  };
}

/** What a gate has settled, events that no action of this page caused, and polls without news. */
function storiesOfRequest(request: SeenRequest, actions: readonly SeenAction[]): readonly Story[] {
  const { ended_at, events, who, who_id, id, settled } = request;
  if (ended_at === undefined) return [];
  const story: Omit<Story, 'title'> = {
    kind: 'event',
    key: `r${id}`,
    at: ended_at,
    until: ended_at,
    who_id,
    actions: [],
    effects: [{ key: who_id, who, who_id, steps: [] }],
    end: { tone: 'gone', words: '' },
  };
  if (settled !== undefined) return [{ ...story, title: `${who}: ${settled}` }];
  if (events.length === 0) {
    const title = outcomeOf(request).kind === 'left' ? `${who} has left` : '';
    return [{ ...story, kind: 'quiet', title }];
  }
  const unclaimed = events.filter(({ at }) => !madeBy(at, actions));
  return unclaimed.map((event, i) => ({
    ...story,
    key: `r${id} ${i}`,
    title: `${who} got ${kindInWords(event.kind)}: ${event.text}`,
  }));
}

/**
 * Joins consecutive stories that are alike. These are commands without an effect, and polls without
 * news.
 */
function folded(stories: readonly Story[]): Story[] {
  const runs: Story[][] = [];
  let before: string | undefined;
  for (const story of stories) {
    const likeness = likenessOf(story);
    if (likeness !== undefined && likeness === before) runs.at(-1)!.push(story);
    else runs.push([story]);
    before = likeness;
  }
  return runs.map(run => joined(run));
}

function joined(run: readonly Story[]): Story {
  const [first] = run;
  return {
    ...run.at(-1)!,
    key: first!.key,
    // The time of the first one, because a list that someone reads holds back newer stories.
    at: first!.at,
    actions: run.flatMap(({ actions }) => actions),
    effects: run.flatMap(({ effects }) => effects),
  };
}

/** Stories of the same likeness are alike. `undefined` if the story is like no other. */
function likenessOf({ kind, actions, effects, end }: Story): string | undefined {
  if (kind === 'quiet') return 'quiet';
  return kind === 'you' && effects.length === 0 && end.words === ''
    ? actions[0]!.line.split(' ')[0]
    : undefined;
}
