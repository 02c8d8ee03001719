import { LIVE, type ClientRequests } from '../outcome/index.js';
import { stepsOfSpell } from './ends-of.js';
import type { Spell } from './spells-of.js';
import type { Effect } from './story.js';

/** An effect on a client, without its steps. */
export const effectFor = (client: ClientRequests) => ({
  key: `${client.who_id} ${client.topic} ${client.nth}`,
  who: client.nth === 0 ? client.who : `${client.who} (${client.nth + 1})`,
  topic: client.topic === LIVE ? '' : client.topic,
  who_id: client.who_id,
  client,
});

/** The effect of a spell of trouble on its client. */
export const effectOf = (spell: Spell): Effect => ({
  ...effectFor(spell.client),
  steps: stepsOfSpell(spell),
  ...(spell.backAt !== undefined && { took: spell.backAt - spell.from }),
});

/** When the last of the spells was over, in ms since 1970. It is `at` if there are none. */
export const untilOf = (spells: readonly Spell[], at: number) =>
  Math.max(at, ...spells.map(({ backAt, hits }) => backAt ?? hits.at(-1)!.ended_at ?? at));
