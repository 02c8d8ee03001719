import type { SeenAction, SeenEvent, SeenRequest } from '../../world-view.js';
import { isLive } from '../outcome/index.js';

/** An event that a player got. */
export interface EventRow {
  readonly kind: 'event';
  readonly key: string;
  readonly at: number;
  readonly request: SeenRequest;
  readonly event: SeenEvent;
  /** What it said the last time, of the same identity. */
  readonly was: string | undefined;
}

/** What somebody did, and who got what because of it. */
interface ActionRow {
  readonly kind: 'action';
  readonly key: string;
  readonly at: number;
  readonly action: SeenAction;
  /** What became of it, if nobody got anything. */
  readonly outcome: string;
  readonly rows: readonly EventRow[];
}

/** A request that is worth a row; or some that are alike, one after the other: `at` is when the last one ended. */
interface RequestRow {
  readonly kind: 'request' | 'quiet';
  readonly key: string;
  at: number;
  readonly requests: SeenRequest[];
}

export type Row = EventRow | ActionRow | RequestRow;

/** Commands whose events are for the one on whom they act. */
const SENDS = /^(?:message|event|lobby)\b/;

/** What happened, the newest first: what was done, with its deliveries, events, and requests that failed or had news. */
export function rowsOf(requests: readonly SeenRequest[], actions: readonly SeenAction[]): readonly Row[] {
  const ended = requests.filter(({ ended_at }) => ended_at != null);
  ended.sort((a, b) => a.ended_at! - b.ended_at!);
  const delivered = new Map<number, EventRow[]>(actions.map(({ id }) => [id, []]));
  const said = new Map<string, string>();
  const rows: Row[] = [];
  /** The row to which requests belong that are like those in it. */
  let run: RequestRow | undefined;
  let likeness: string | undefined;
  for (const request of ended) {
    const events = eventRows(request, said);
    const its = likenessOf(request);
    if (events.length > 0) run = undefined;
    else if (run && its !== undefined && its === likeness) {
      run.requests.push(request);
      run.at = request.ended_at!;
    } else {
      const kind = its === 'quiet' ? 'quiet' : 'request';
      run = { kind, key: `r${request.id}`, at: request.ended_at!, requests: [request] };
      rows.push(run);
    }
    likeness = its;
    for (const row of events) {
      const { event } = row;
      const cause = actions.find(({ after, until }) => event.at > after && event.at <= until);
      if (cause) delivered.get(cause.id)!.push(row);
      else rows.push(row);
    }
  }
  for (const action of actions) {
    const its = delivered.get(action.id)!;
    const outcome = its.length > 0 ? '' : outcomeOf(action, ended, requests);
    rows.push({ kind: 'action', key: `a${action.id}`, at: action.at, action, outcome, rows: its });
  }
  return rows.sort((a, b) => b.at - a.at);
}

/** Polls without news are alike, and failures for which a proxy or the service is to blame. */
function likenessOf({ is_poll, status, has_news, fault }: SeenRequest): string | undefined {
  if (is_poll && !has_news && (status === 200 || status == null)) return 'quiet';
  return status === 0 || status! >= 500 ? `failed ${status} ${fault}` : undefined;
}

function eventRows(request: SeenRequest, said: Map<string, string>): EventRow[] {
  return request.events.map((event, i) => {
    const about = `${request.who_id} ${event.text.slice(0, event.text.lastIndexOf(' is '))}`;
    const before = event.kind === 'identity_update' ? said.get(about) : undefined;
    if (event.kind === 'identity_update') said.set(about, event.text);
    const was = before === event.text ? undefined : before?.slice(before.lastIndexOf(' is ') + 4);
    return { kind: 'event', key: `e${request.id} ${i}`, at: request.ended_at!, request, event, was };
  });
}

/** What became of an event that nobody has got: a later answer without it says that it is lost. */
function outcomeOf(
  { line, who_id, at: sentAt }: SeenAction,
  ended: readonly SeenRequest[],
  requests: readonly SeenRequest[],
): string {
  if (!SENDS.test(line)) return '';
  const isOwn = ({ who_id: id, path }: SeenRequest) => id === who_id && isLive(path);
  if (!requests.some(isOwn)) return 'nobody follows their live events';
  const later = ended.filter(request => isOwn(request) && request.ended_at! > sentAt);
  const without = later.find(({ status }) => status === 200);
  if (!without) return 'not delivered yet';
  const { fault = later.find(({ fault }) => fault !== undefined)?.fault } = without;
  return fault === undefined ? 'lost' : `lost: the fault ${fault}`;
}
