import type { SeenAction, SeenRequest } from '../../world-view.js';
import { faultInWords } from '../actions/index.js';
import type { ClientRequests } from './clients-of.js';
import { indexOf, outcomeOf } from './outcome-of.js';
import { LIVE } from './topic-of.js';

/** The delivery of an event to one client. */
export interface EventDelivery {
  readonly client: ClientRequests;
  /** When the service had it, in ms since 1970. */
  readonly sentAt: number;
  /**
   * - `has`: the client polled again with the index of that answer, so it has the event.
   * - `sent`: the event was sent. No later poll confirms yet that it arrived.
   * - `waits`: the event waits for a poll of its client.
   * - `lost`: a later answer did not contain the event.
   */
  readonly state: 'has' | 'sent' | 'waits' | 'lost';
  /** The answer that contains the event, or the answer that should have contained it. */
  readonly answer?: SeenRequest;
  /** The poll that confirms that the event arrived. */
  readonly proof?: SeenRequest;
  /** Why the event is lost. `undefined` if nobody knows. */
  readonly why?: string;
  /** The client gets the event if it polls again before this time, in ms since 1970. */
  readonly deadline?: number;
}

/** Commands that send an event to the identity on which they act. */
const SENDS = /^(?:message|event|lobby)\b/;

/** Whether an action sends an event to the identity on which it acts. */
export const isSent = ({ line }: Pick<SeenAction, 'line'>): boolean => SENDS.test(line);

/** The action that made the event of a time. `undefined` if none did. */
export function madeBy(at: number, actions: readonly SeenAction[]): SeenAction | undefined {
  // One action ends before the next one begins.
  const action = actions.find(({ until }) => at <= until);
  return action && at > action.after ? action : undefined;
}

/**
 * The deliveries of the events of each action, one for each client that follows them. `retention`
 * is how long the service keeps an event, in ms. Each request is read once, whatever the number of
 * actions.
 */
export function deliveriesOf(
  actions: readonly SeenAction[],
  clients: readonly ClientRequests[],
  retention: number,
): ReadonlyMap<SeenAction, readonly EventDelivery[]> {
  const all = new Map(actions.map(action => [action, [] as EventDelivery[]]));
  for (const client of clients.filter(({ topic }) => topic === LIVE)) {
    const got = deliveriesTo(client, actions);
    for (const [action, deliveries] of all) {
      const delivery = got.get(action);
      const isExpected = client.who_id === action.who_id && isSent(action) && !isLater(client, action);
      if (delivery) deliveries.push(delivery);
      else if (isExpected) deliveries.push(expected(client, action, retention));
    }
  }
  return all;
}

/** The first event of each action that a client was sent. */
function deliveriesTo(
  client: ClientRequests,
  actions: readonly SeenAction[],
): ReadonlyMap<SeenAction | undefined, EventDelivery> {
  const got = new Map<SeenAction | undefined, EventDelivery>();
  for (const answer of client.requests)
    for (const { at } of answer.events) {
      const action = madeBy(at, actions);
      if (!got.has(action)) got.set(action, received(answer, client, at));
    }
  return got;
}

/** Whether a client began after an action, beside another client of its identity. */
const isLater = ({ nth, requests }: ClientRequests, { until }: SeenAction) =>
  nth > 0 && requests[0]!.at > until;

function received(answer: SeenRequest, client: ClientRequests, sentAt: number): EventDelivery {
  const proof = client.requests.find(
    poll => poll.id > answer.id && poll.at >= answer.ended_at! && indexOf(poll) === answer.next_index,
  );
  if (answer.next_index === undefined || !proof) return { client, sentAt, state: 'sent', answer };
  return { client, sentAt, state: 'has', answer, proof };
}

function expected(client: ClientRequests, action: SeenAction, retention: number): EventDelivery {
  const sentAt = action.until;
  const later = client.requests.filter(({ ended_at }) => ended_at != null && ended_at > action.at);
  // An answer without an index does not count, because its client cannot continue from it.
  const answer = later.find(({ status, next_index }) => status === 200 && next_index !== undefined);
  if (answer) return { client, sentAt, state: 'lost', answer, ...whyLost(answer, later, retention) };
  const last = client.requests.filter(request => !outcomeOf(request).isTrouble && request.next_index).at(-1);
  // A client without an index gets only the events after its first poll.
  if (!last) return { client, sentAt, state: 'waits' };
  // An index of the emulator is the time of the first event that the next answer may contain.
  const since = Number(last.next_index) || last.ended_at!;
  return { client, sentAt, state: 'waits', deadline: since + retention };
}

function whyLost(answer: SeenRequest, later: readonly SeenRequest[], retention: number): { why?: string } {
  // A fault after that answer did not lose this event.
  const before = later.slice(0, later.indexOf(answer));
  const fault = answer.fault ?? before.find(request => request.fault !== undefined)?.fault;
  if (fault !== undefined) return { why: faultInWords(fault) };
  const index = indexOf(answer);
  if (index === undefined) return { why: 'its client began without an index' };
  return Number(index) < answer.at - retention ? { why: 'its client came back too late' } : {};
}
