import type { SeenRequest } from '../../world-view.js';
import { faultInWords } from '../actions/index.js';
import type { Tone } from '../players/index.js';
import { indexOf, outcomeOf, stateAt, type EventDelivery, type ClientRequests } from '../outcome/index.js';
import type { Spell } from './spells-of.js';
import { durationInWords, kindInWords, shortIndex, timeOf } from './words.js';

/** How a story ended, or how it stands. */
export interface End {
  readonly tone: Tone;
  readonly words: string;
}

/** A step of an effect. `words` is the whole text, and `short` is the text for a row. */
export interface Step extends End {
  readonly at: number;
  readonly short: string;
  readonly request?: SeenRequest;
}

/** A step whose row has its whole text, unless there is a shorter one. */
export const stepOf = (
  at: number,
  tone: Tone,
  words: string,
  more: Partial<Pick<Step, 'short' | 'request'>> = {},
): Step => ({ at, tone, words, short: words, ...more });

/** How an outage ended for all clients that met it. */
export function endOfSpells(spells: readonly Spell[], isPlanned: boolean): End {
  if (spells.length === 0)
    return isPlanned
      ? { tone: 'warn', words: 'no player has met it yet' }
      : { tone: 'gone', words: 'no player met it' };
  const count = (state: Spell['state']) => spells.filter(spell => spell.state === state).length;
  if (count('retrying') > 0) return { tone: 'warn', words: `not over: ${count('retrying')} retrying` };
  const stopped = spells.find(({ state }) => state === 'stopped');
  if (stopped) return { tone: 'bad', words: `stopped: ${outcomeOf(stopped.hits.at(-1)!).reason}` };
  if (count('gone') > 0) return { tone: 'gone', words: `${count('gone')} did not come back` };
  const followed = spells.find(({ state }) => state === 'followed');
  if (followed) return { tone: 'warn', words: `over: then ${outcomeOf(followed.next!).reason}` };
  const took = Math.max(...spells.map(({ backAt, from }) => backAt! - from));
  const when = took < 1 ? 'at once' : `after ${durationInWords(took)}`;
  const after = `over: ${spells.length > 1 ? 'all ' : ''}back ${when}`;
  if (spells.every(({ isWhole }) => isWhole)) return { tone: 'ok', words: `${after}, nothing lost` };
  const hasLost = spells.some(({ next, hits }) => indexOf(hits[0]!) !== undefined && !indexOf(next!));
  return hasLost
    ? { tone: 'warn', words: `${after}, with a gap: it began without an index` }
    : { tone: 'ok', words: after };
}

/** How the deliveries of an action ended. `age` is how long ago the action was, in ms. */
export function endOfDeliveries(deliveries: readonly EventDelivery[], isSent: boolean, age: number): End {
  const allOf = (state: EventDelivery['state']) => deliveries.filter(delivery => delivery.state === state);
  const [lost] = allOf('lost');
  if (lost) return { tone: 'bad', words: `lost${lost.why === undefined ? '' : `: ${lost.why}`}` };
  if (allOf('waits').length > 0) return { tone: 'warn', words: `not delivered yet, ${durationInWords(age)}` };
  if (allOf('sent').length > 0) return { tone: 'warn', words: 'sent, not confirmed' };
  if (deliveries.length === 0)
    return isSent
      ? { tone: 'warn', words: 'no client follows their live events' }
      : { tone: 'gone', words: '' };
  const took = Math.max(...deliveries.map(({ answer, sentAt }) => answer!.ended_at! - sentAt));
  const who = deliveries.length > 1 ? `${deliveries.length} clients have it` : 'delivered';
  return { tone: 'ok', words: `${who} after ${durationInWords(took)}` };
}

/** The steps of a client through a spell of trouble. */
export function stepsOfSpell({ hits, next, backAt, state, isWhole }: Spell): readonly Step[] {
  const steps: Step[] = [];
  for (const [i, request] of hits.entries()) {
    const before = hits[i - 1];
    if (before?.ended_at !== undefined) steps.push(waitOf(before, request));
    steps.push(hitOf(request, i === 0));
  }
  const last = hits.at(-1)!;
  if (next && last.ended_at !== undefined) steps.push(waitOf(last, next));
  const index = shortIndex(next && indexOf(next));
  if (state === 'back') {
    const words = isWhole
      ? `live. It went on from ${index}: nothing is lost`
      : `live. It went on with ${index}`;
    steps.push(stepOf(backAt!, 'ok', words, { short: '● live again', request: next! }));
  } else if (state === 'followed') {
    steps.push(stepOf(next!.ended_at!, 'warn', `then ${outcomeOf(next!).reason}`, { request: next! }));
  } else {
    const { tone, words } = standOf(state, next !== undefined || last.ended_at === undefined);
    steps.push(stepOf(last.ended_at ?? last.at, tone, words));
  }
  return steps;
}

/** How a client stands that is not back. `isTrying` is whether it has sent another poll. */
function standOf(state: 'retrying' | 'gone' | 'stopped', isTrying: boolean): End {
  if (state === 'retrying') return { tone: 'warn', words: isTrying ? 'tries again' : 'waits to try again' };
  return { tone: state === 'stopped' ? 'bad' : 'gone', words: `has sent nothing since: ${state}` };
}

const waitOf = ({ ended_at }: SeenRequest, { at }: SeenRequest): Step =>
  stepOf(ended_at!, 'warn', `waited ${durationInWords(at - ended_at!)}`);

function hitOf(request: SeenRequest, isFirst: boolean): Step {
  const { at, ended_at, status, fault } = request;
  const { kind, reason, isTrouble } = outcomeOf(request);
  const trouble = status ? String(status) : 'connection lost';
  const met = fault === undefined ? kind : faultInWords(fault);
  const short = isTrouble ? trouble : met;
  const poll = isFirst ? `the poll that was sent at ${timeOf(at)}` : 'the next poll';
  const by = fault === undefined ? '' : `, by ${met}`;
  const ended = isTrouble ? `${poll}: ${reason}${by}` : `${poll} met ${met}`;
  const words = ended_at === undefined ? `${ended}: it is still open` : ended;
  return stepOf(ended_at ?? at, 'bad', words, { short, request });
}

/** The steps of the delivery of an event to a client. */
export function stepsOfDelivery(delivery: EventDelivery, now: number): readonly Step[] {
  const { state, client, sentAt, answer, proof, deadline, why } = delivery;
  if (state === 'waits') return [stepOf(sentAt, 'gone', waitInWords(client, deadline, now))];
  const at = answer!.ended_at!;
  if (state === 'lost') {
    const words = `its next answer was without it${why === undefined ? '' : `: ${why}`}`;
    return [stepOf(at, 'bad', words, { request: answer! })];
  }
  const kinds = answer!.events.map(({ kind, text }) => `${kindInWords(kind)} ${text}`).join(', ');
  const got = stepOf(at, 'ok', `answered its poll after ${durationInWords(at - sentAt)}, with ${kinds}`, {
    short: [...new Set(answer!.events.map(({ kind }) => kindInWords(kind)))].join(', '),
    request: answer!,
  });
  if (!proof) return [got, stepOf(at, 'warn', 'has not polled since: nothing says that it came')];
  const after = durationInWords(proof.at - at);
  const words = `polled again ${after} later, with the ${shortIndex(answer!.next_index)} of that answer: it has it`;
  return [got, stepOf(proof.at, 'gone', words, { short: `and polled again ${after} later: it has it` })];
}

/** Why an event waits, and until when its client can still get it. */
function waitInWords(client: ClientRequests, deadline: number | undefined, now: number): string {
  if (deadline === undefined) return 'has had no answer yet: it begins with what comes later';
  if (deadline <= now) return 'did not come back in time: a gap';
  const seconds = Math.ceil((deadline - now) / 1_000);
  return `${doingOf(client, now)}. It gets this if it comes back within ${seconds} s; after that, a gap`;
}

/** What a client does that has not got an event yet. */
function doingOf({ requests, history }: ClientRequests, now: number): string {
  if (requests.some(({ ended_at }) => ended_at === undefined)) return 'polls';
  const shown = stateAt(history, now);
  if (shown === 'gone') return 'is gone';
  return shown === 'closed' ? `has stopped: ${outcomeOf(requests.at(-1)!).reason}` : 'waits to poll again';
}
