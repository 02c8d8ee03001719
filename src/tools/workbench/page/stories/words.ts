import type { SeenAction } from '../../world-view.js';
import { actionOf } from '../actions/index.js';

/** A duration, in words. */
export const durationInWords = (ms: number): string =>
  ms < 1_000 ? `${Math.max(0, Math.round(ms))} ms` : `${(ms / 1_000).toFixed(1)} s`;

/** A time of day with 24 hours, as everywhere in this project. */
export const timeOf = (at: number): string => new Date(at).toLocaleTimeString('en-GB');

/** The name of a kind of event. */
export const kindInWords = (kind: string): string => kind.replace(/^matchmaker_/, '').replaceAll('_', ' ');

/** How many digits of an index are shown. */
const SHOWN_DIGITS = 4;

/** The last digits of an index. Its other digits seldom differ. */
export const shortIndex = (index: string | undefined): string =>
  index === undefined ? 'no index' : `index …${index.slice(-SHOWN_DIGITS)}`;

/** Commands that act on no identity of the list. */
const TO_NONE = /^(?:join|player|fault|break|state)\b/;

/** A line in words, as the bar says it. A line that no action of the bar runs stays as it is. */
export function lineInWords(line: string): string {
  const typed = line.replace(/ who=\S+/, '').replace(/"((?:[^"\\]|\\.)*)"/g, '“$1”');
  const action = actionOf(typed);
  return action ? action.label + typed.slice(action.line.length) : typed;
}

/** An action in words, with the name of the identity on which it acts. */
export const actionInWords = ({ line, who_id }: SeenAction, nameOf: (id: string) => string): string =>
  lineInWords(line) + (TO_NONE.test(line) ? '' : ` for ${nameOf(who_id)}`);
