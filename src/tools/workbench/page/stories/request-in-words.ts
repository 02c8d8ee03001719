import type { SeenRequest } from '../../world-view.js';
import { faultInWords } from '../actions/index.js';
import { outcomeOf } from '../outcome/index.js';
import { durationInWords } from './words.js';

/** The outcome of a request, in words. */
export function requestInWords(request: SeenRequest): string {
  const { at, ended_at, status, events, is_poll, fault } = request;
  const { kind, reason } = outcomeOf(request);
  const planned = fault === undefined ? '' : `, by ${faultInWords(fault)}`;
  if (kind === 'open') return is_poll ? `waiting${planned}` : `not answered yet${planned}`;
  const after = durationInWords(ended_at! - at);
  if (kind === 'left') return `given up by the client after ${after}${planned}`;
  if (kind === 'lost') return `connection lost after ${after}${planned}`;
  if (kind === 'answered') return `answered after ${after}${planned}`;
  if (kind === 'empty') return `held for ${after}, nothing new${planned}`;
  if (kind !== 'news') {
    // The reason of most failures only repeats the status.
    const why = reason.includes(String(status)) ? '' : `: ${reason}`;
    return `${status} after ${after}${planned || why}`;
  }
  return `held for ${after}, answered with ${newsInWords(events.length)}${planned}`;
}

/** The news of an answer: its events, or something else that has changed. */
function newsInWords(events: number): string {
  if (events === 0) return 'news';
  return events === 1 ? '1 event' : `${events} events`;
}
