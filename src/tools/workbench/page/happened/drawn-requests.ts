import type { LobbyMarbles, NamedWatch } from '../../../marbles/index.js';
import type { SeenAction, SeenRequest, WorldView } from '../../world-view.js';
import { outcomeOf, topicOf } from '../outcome/index.js';

/** A stranger may ask for any path, such as `//[`, which is no URL beside a base. */
const urlOf = (path: string) =>
  new URL(
    !path.startsWith('/') && URL.canParse(path) ? path : location.origin + path.replace(/^(?!\/)/, '/'),
  );

/** How a client would say that its poll ended. One whose token is refused ends, unless it renews that: then it polls again at once. */
const WHY = {
  open: 'resumed',
  news: 'news',
  empty: 'no_news',
  answered: 'no_news',
  refused: 'ended',
  limited: 'failed',
  failed: 'failed',
  lost: 'failed',
  left: 'paused',
} as const;

/** Each watch has a row. More than these, as of a stranger who asks for any path, share one. */
const MOST_ROWS = 40;

/** What the `poll_end` of a watch says besides, which is unknown here. */
const TURN = { kind: 'poll_end', wait: 0, attempt: 0, error: undefined } as const;

/**
 * Draws requests as the polls and calls of clients: each sender has a row for each thing that it watches. The function that it returns
 * draws what is new in a list, by the order of ids.
 */
export function drawnRequests(
  marbles: Pick<LobbyMarbles, 'log' | 'watch' | 'now'>,
  groups?: WorldView['groups'],
): (requests: readonly SeenRequest[], actions?: readonly SeenAction[]) => void {
  const rows = new Map<string, { readonly watchId: number; readonly watch: NamedWatch }>();
  /** The last action that has been drawn. */
  let done = 0;
  /** Whether the requests that have been drawn have ended, by id. */
  const drawn = new Map<number, boolean>();

  const rowOf = ({ who, who_id, path, at }: SeenRequest) => {
    const topic = topicOf(path, groups);
    const isOne = rows.size < MOST_ROWS;
    const key = isOne ? `${who_id} ${topic}` : 'others';
    const known = rows.get(`${who_id} ${topic}`) ?? rows.get(key);
    if (known) return known;
    const row = { watchId: rows.size + 1, watch: marbles.watch(isOne ? `${who}: ${topic}` : 'others') };
    rows.set(key, row);
    // Before its first poll ends, so that it has its name at once.
    row.watch.log({ ...TURN, at, watchId: row.watchId, why: 'news' });
    return row;
  };
  const draw = (request: SeenRequest) => {
    const { id, method, path, at, ended_at, status, events } = request;
    const row = request.is_poll ? rowOf(request) : undefined;
    const common = {
      ...{ requestId: id, method, url: urlOf(path).href },
      ...(row && { pollOf: row.watchId }),
    };
    if (!drawn.has(id)) marbles.log({ ...common, kind: 'request', at });
    drawn.set(id, ended_at != null);
    if (ended_at == null) return;
    const end = { ...common, at: ended_at, ms: ended_at - at };
    const { kind } = outcomeOf(request);
    if (kind === 'left') marbles.log({ ...end, kind: 'abort' });
    else if (kind === 'lost') marbles.log({ ...end, kind: 'failure', error: undefined });
    else marbles.log({ ...end, kind: 'answer', status: status! });
    if (!row) return;
    row.watch.log({ ...TURN, at: ended_at, watchId: row.watchId, why: WHY[kind] });
    for (const { kind } of events) drawAt(ended_at, row.watch, kind.replace(/^matchmaker_/, ''));
  };
  /** An event is drawn where it came, also if that is drawn later. */
  const drawAt = (at: number, watch: NamedWatch, kind: string) => {
    const { now } = marbles;
    marbles.now = () => at;
    watch.event({ kind });
    marbles.now = now;
  };
  const drawAction = ({ id, line, at }: SeenAction) => {
    done = id;
    const you = rows.get('you') ?? { watchId: rows.size + 1, watch: marbles.watch('you') };
    if (!rows.has('you')) you.watch.log({ ...TURN, at, watchId: you.watchId, why: 'news' });
    rows.set('you', you);
    drawAt(at, you.watch, line.split(' ')[0]!);
  };
  return (requests, actions = []) => {
    for (const action of actions) if (action.id > done) drawAction(action);
    for (const request of requests) if (drawn.get(request.id) !== true) draw(request);
    for (const id of drawn.keys()) if (id < (requests[0]?.id ?? Infinity)) drawn.delete(id);
  };
}
