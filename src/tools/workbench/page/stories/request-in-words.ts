import type { SeenRequest } from '../../world-view.js';
import { faultInWords } from '../actions/index.js';
import { outcomeOf } from '../outcome/index.js';
import { durationInWords } from './words.js';

/** What came of a request, in words. The status says it for all others that have ended. */
const ENDS: Readonly<Record<string, string>> = {
  left: 'given up by the client',
  lost: 'connection lost',
  answered: 'answered',
  empty: 'nothing new',
};

/** The outcome of a request, in words. */
export function requestInWords(request: SeenRequest): string {
  const { at, ended_at, status, events, is_poll, fault } = request;
  const { kind, reason } = outcomeOf(request);
  const planned = fault === undefined ? '' : `, by ${faultInWords(fault)}`;
  if (kind === 'open') return (is_poll ? 'waiting' : 'not answered yet') + planned;
  const what = kind === 'news' ? newsInWords(events.length) : (ENDS[kind] ?? status);
  // The reason of most failures only repeats the status.
  const why = ENDS[kind] || reason.includes(String(status)) ? '' : reason && `: ${reason}`;
  return `${what} after ${durationInWords(ended_at! - at)}${planned || why}`;
}

/** The news of an answer: its events, or something else that has changed. */
function newsInWords(events: number): string {
  if (events === 0) return 'news';
  return events === 1 ? '1 event' : `${events} events`;
}
