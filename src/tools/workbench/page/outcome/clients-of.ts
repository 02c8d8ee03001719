import type { SeenRequest, WorldView } from '../../world-view.js';
import { clientHistory, type Span } from './client-history.js';
import { indexOf, outcomeOf } from './outcome-of.js';
import { topicOf } from './topic-of.js';

/** The requests of one client about one topic, in order. A client has one poll open per topic. */
export interface ClientRequests {
  readonly who: string;
  readonly who_id: string;
  readonly topic: string;
  /** The number of this client among those of its identity. The first is 0. */
  readonly nth: number;
  readonly requests: readonly SeenRequest[];
  /** What it shows, from when on. */
  readonly history: readonly Span[];
}

interface OwnClient extends Omit<ClientRequests, 'history'> {
  readonly requests: SeenRequest[];
}

/**
 * The requests of each client. A request does not say which client of an identity has sent it.
 * Two polls that are open at the same time belong to two clients. A poll continues from the index
 * that its client got last. Clients without a new request are taken from `before`.
 */
export function clientsOf(
  requests: readonly SeenRequest[],
  groups: WorldView['groups'] = [],
  before: readonly ClientRequests[] = [],
): readonly ClientRequests[] {
  const clients = new Map<string, OwnClient[]>();
  for (const request of requests) {
    const { who, who_id, path, is_poll } = request;
    const topic = topicOf(path, groups);
    const key = `${who_id} ${topic}`;
    const own = clients.get(key) ?? [];
    clients.set(key, own);
    const known = is_poll ? clientOf(request, own) : own[0];
    if (known) known.requests.push(request);
    else own.push({ who, who_id, topic, nth: own.length, requests: [request] });
  }
  const known = new Map(before.map(client => [client.requests.at(-1), client]));
  return [...clients.values()].flat().map(client => {
    const same = known.get(client.requests.at(-1));
    const isSame =
      same?.requests.length === client.requests.length &&
      same.topic === client.topic &&
      same.requests.every((request, i) => request === client.requests[i]);
    return isSame ? same : { ...client, history: clientHistory(client.requests) };
  });
}

/**
 * The client that a poll continues. Clients that go on with its index come first. If there are
 * several, as after an outage, their polls do not say which is which. One that did not leave is
 * due, and so is the one that has waited longest: each of them gets its share of the polls.
 */
function clientOf(poll: SeenRequest, clients: readonly OwnClient[]): OwnClient | undefined {
  const free = clients.filter(({ requests }) => {
    const last = requests.at(-1)!;
    return !last.is_poll || (last.ended_at != null && last.ended_at <= poll.at);
  });
  const index = indexOf(poll);
  const continued = free.filter(({ requests }) => nextOf(requests.at(-1)!) === index);
  const here = continued.filter(({ requests }) => outcomeOf(requests.at(-1)!).kind !== 'left');
  const due = [here, continued, free].find(({ length }) => length > 0) ?? [];
  return due.sort((a, b) => endOf(a) - endOf(b))[0];
}

const endOf = ({ requests }: OwnClient): number => requests.at(-1)!.ended_at ?? 0;

/** The index from which a client continues after a request. */
const nextOf = (request: SeenRequest): string | undefined =>
  outcomeOf(request).isTrouble ? indexOf(request) : (request.next_index ?? indexOf(request));
