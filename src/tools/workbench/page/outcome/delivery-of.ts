import type { SeenAction, SeenRequest } from '../../world-view.js';
import type { Line } from './clients-of.js';
import { indexOf, outcomeOf } from './outcome-of.js';
import { isLive } from './topic-of.js';

/** What became of an event for one client. */
export interface Delivery {
  readonly line: Line;
  /** When the service had it, in ms since 1970. */
  readonly sentAt: number;
  /**
   * The client `has` it: it polled again with the index of that answer. It was `sent`, and nothing
   * says yet that it came. It `waits` for a poll of its client. Or it is `lost`: an answer after it
   * was without it.
   */
  readonly state: 'has' | 'sent' | 'waits' | 'lost';
  /** The answer with it, or the one that should have had it. */
  readonly answer?: SeenRequest;
  /** The poll that says that it came. */
  readonly proof?: SeenRequest;
  /** Why it is lost, if that is known. */
  readonly why?: string;
  /** Until when its client gets it if it comes back, in ms since 1970. */
  readonly deadline?: number;
}

/** Commands whose events are for the one on whom they act. */
const SENDS = /^(?:message|event|lobby)\b/;

/** Whether an action sends an event to the one on whom it acts. */
export const isSent = ({ line }: Pick<SeenAction, 'line'>): boolean => SENDS.test(line);

/**
 * What became of the events of an action for each client that follows them. `retention` is how long
 * the service keeps an event, in ms.
 */
export function deliveriesOf(
  action: SeenAction,
  lines: readonly Line[],
  retention: number,
): readonly Delivery[] {
  return lines
    .filter(({ requests }) => isLive(requests[0]!.path))
    .flatMap(line => {
      const got = line.requests.find(({ events }) => events.some(({ at }) => isOf(action, at)));
      if (got) return [received(got, line, action)];
      return line.who_id === action.who_id && isSent(action) ? [expected(line, action, retention)] : [];
    });
}

/** Whether an action made the event of this time. */
const isOf = ({ after, until }: SeenAction, at: number) => at > after && at <= until;

function received(answer: SeenRequest, line: Line, action: SeenAction): Delivery {
  const sentAt = answer.events.find(({ at }) => isOf(action, at))!.at;
  const proof = line.requests.find(
    poll => poll.id > answer.id && poll.at >= answer.ended_at! && indexOf(poll) === answer.next_index,
  );
  if (answer.next_index === undefined || !proof) return { line, sentAt, state: 'sent', answer };
  return { line, sentAt, state: 'has', answer, proof };
}

function expected(line: Line, action: SeenAction, retention: number): Delivery {
  const sentAt = action.until;
  const later = line.requests.filter(({ ended_at }) => ended_at != null && ended_at > action.at);
  // An answer that its client cannot go on from says nothing.
  const answer = later.find(({ status, next_index }) => status === 200 && next_index !== undefined);
  if (answer) return { line, sentAt, state: 'lost', answer, ...whyLost(answer, later, retention) };
  const last = line.requests.filter(request => !outcomeOf(request).isTrouble && request.next_index).at(-1);
  // Without an index, its client begins with what comes after that.
  if (!last) return { line, sentAt, state: 'waits' };
  // An index of the emulator is the time of the first event that is to come.
  const since = Number(last.next_index) || last.ended_at!;
  return { line, sentAt, state: 'waits', deadline: since + retention };
}

function whyLost(answer: SeenRequest, later: readonly SeenRequest[], retention: number): { why?: string } {
  // A fault after that answer is of something else.
  const before = later.slice(0, later.indexOf(answer));
  const fault = answer.fault ?? before.find(request => request.fault !== undefined)?.fault;
  if (fault !== undefined) return { why: `the fault ${fault}` };
  const index = indexOf(answer);
  if (index === undefined) return { why: 'its client began without an index' };
  return Number(index) < answer.at - retention ? { why: 'its client came back too late' } : {};
}
