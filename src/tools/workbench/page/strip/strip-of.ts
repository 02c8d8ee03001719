import { outcomeOf, type ClientRequests } from '../outcome/index.js';

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
export function stripOf(
  { requests, history }: Pick<ClientRequests, 'requests' | 'history'>,
  now: number,
): readonly Mark[] {
  const polls = requests.flatMap((request): Mark[] => {
    const { at, ended_at: end = now, events } = request;
    const marks: Mark[] = [{ shape: 'poll', from: at, to: end, look: outcomeOf(request).kind }];
    if (request.ended_at === undefined) return marks;
    return [
      ...marks,
      ...events.map(({ kind }) => ({ shape: 'event', from: end, to: end, look: kind }) as const),
    ];
  });
  const statuses = history.map(({ state, from }, i): Mark => {
    const to = Math.min(history[i + 1]?.from ?? now, now);
    return { shape: 'status', from, to, look: state };
  });
  return [...polls, ...statuses.filter(({ from, to }) => to > from)];
}
