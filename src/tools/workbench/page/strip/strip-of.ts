import { HELD_MS } from '../../../../error/index.js';
import { indexOf, outcomeOf, type ClientRequests } from '../outcome/index.js';

/**
 * A part of a strip: a poll, an event, or the status that a client shows. Times are in ms since
 * 1970.
 */
export interface Mark {
  readonly shape: 'poll' | 'event' | 'status';
  readonly from: number;
  readonly to: number;
  /** The outcome of a poll, the kind of an event, or a status such as `live` or `gone`. */
  readonly look: string;
}

/** The marks of a client, from its requests. The past stays the same at a later `now`. */
export function stripOf({ requests }: Pick<ClientRequests, 'requests'>, now: number): readonly Mark[] {
  const marks: Mark[] = [];
  let status = 'connecting';
  let since = requests[0]?.at ?? now;
  const changeStatus = (to: string, at: number) => {
    if (to === status) return;
    if (at > since) marks.push({ shape: 'status', from: since, to: at, look: status });
    status = to;
    since = at;
  };
  for (const [i, request] of requests.entries()) {
    const { kind, isTrouble, patience } = outcomeOf(request);
    const { at, ended_at: end = now } = request;
    if (status === 'gone') changeStatus('connecting', at);
    marks.push({ shape: 'poll', from: at, to: end, look: kind });
    // The service holds the poll. A client shows that as live.
    if (indexOf(request) !== undefined && end - at >= HELD_MS) changeStatus('live', at + HELD_MS);
    if (kind === 'open') continue;
    changeStatus(isTrouble ? 'retrying' : 'live', end);
    for (const event of request.events) {
      marks.push({ shape: 'event', from: end, to: end, look: event.kind });
    }
    const next = requests[i + 1]?.at ?? now;
    if (next - end >= patience) changeStatus('gone', end);
  }
  // Adds the mark of the last status.
  changeStatus('', now);
  return marks;
}
