import type { SeenAction } from '../../world-view.js';
import { isSent, type ClientRequests, type EventDelivery } from '../outcome/index.js';
import { effectFor, effectOf, untilOf } from './effect-of.js';
import { endOfDeliveries, endOfSpells, stepOf, stepsOfDelivery, type End } from './ends-of.js';
import type { Spell } from './spells-of.js';
import type { Effect, Story, StoryData } from './story.js';
import { actionInWords } from './words.js';

const FAULT = /^(?:break|fault(?! off))\b/;
const EXPIRY = /^token expire\b/;
/** How many clients are named that were not affected. */
const MAX_UNAFFECTED = 3;

/** Whether an action breaks the service, or plans a fault. */
const isFault = ({ line }: SeenAction): boolean => FAULT.test(line);

/** The story of something that a person did in this page, of which `all` are the deliveries. */
export function storyOfAction(
  action: SeenAction,
  spells: readonly Spell[],
  all: readonly EventDelivery[],
  { identities, clients, now, planned }: StoryData,
): Story {
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
  const isBreaking = isFault(action);
  if (isBreaking || spells.length > 0) {
    const effects = [
      ...spells.map(spell => effectOf(spell)),
      ...(isBreaking ? unaffected(action, spells, clients) : []),
    ];
    const end = endOfSpells(spells, planned.length > 0);
    return { ...base, until: untilOf(spells, action.at), effects, end };
  }
  if (EXPIRY.test(action.line)) {
    const own = clients.filter(({ who_id }) => who_id === action.who_id);
    return { ...base, until: now, effects: own.map(client => waitsForExpiry(client, action)), end: NOT_MET };
  }
  const deliveries = withoutNeedlessWaits(all);
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

const NOT_MET: End = { tone: 'warn', words: 'no effect yet' };

/** An expired token is noticed at the next request. A poll that is held has been let in already. */
function waitsForExpiry(client: ClientRequests, { at }: SeenAction): Effect {
  const isHeld = client.requests.some(({ ended_at, is_poll }) => is_poll && ended_at === undefined);
  const words = isHeld
    ? 'live until its held poll ends: the next one is refused'
    : 'its next request is refused';
  return { ...effectFor(client), steps: [stepOf(at, 'warn', words)] };
}

/** Leaves out a client that waits while another client of its identity got the event. */
function withoutNeedlessWaits(deliveries: readonly EventDelivery[]): readonly EventDelivery[] {
  const got = deliveries.filter(({ state }) => state !== 'waits').map(({ client }) => client.who_id);
  return deliveries.filter(({ state, client }) => state !== 'waits' || !got.includes(client.who_id));
}

/** The clients that a fault did not affect, and why not. */
function unaffected(
  action: SeenAction,
  spells: readonly Spell[],
  clients: readonly ClientRequests[],
): readonly Effect[] {
  const met = new Set(spells.map(({ client }) => client.who_id));
  const wasLive = ({ who_id, requests }: ClientRequests) =>
    !met.has(who_id) && requests.some(request => request.at <= action.at && request.next_index !== undefined);
  const others = new Map(clients.filter(wasLive).map(client => [client.who_id, client]));
  return [...others.values()].slice(0, MAX_UNAFFECTED).map(client => {
    const last = client.requests.filter(({ at }) => at <= action.at).at(-1);
    const wasThere = last !== undefined && (last.ended_at ?? Infinity) > action.at;
    const words = wasThere ? 'met nothing' : 'was not connected: met nothing';
    return { ...effectFor(client), steps: [stepOf(action.at, 'gone', words)] };
  });
}
