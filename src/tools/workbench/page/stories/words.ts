import type { SeenAction } from '../../world-view.js';
import { breakActionOf } from '../actions/index.js';

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
export function shortIndex(index: string | undefined): string {
  if (index === undefined) return 'no index';
  return index.length > SHOWN_DIGITS ? `index …${index.slice(-SHOWN_DIGITS)}` : `index ${index}`;
}

/** Commands that act on no identity of the list. */
const TO_NONE = /^(?:join|player|fault|break|state)\b/;

const TO_TOKEN = /^token\b/;
const TOKEN_WORDS: Readonly<Record<string, string>> = {
  'token expire': 'expire the token',
  'token renew': 'new token',
};

/** An action in words, with the name of the identity on which it acts. */
export function actionInWords({ line, who_id }: SeenAction, nameOf: (id: string) => string): string {
  const typed = line.replace(/ who=\S+/, '').replace(/"((?:[^"\\]|\\.)*)"/g, '“$1”');
  const words = breakActionOf(line)?.label ?? TOKEN_WORDS[typed] ?? typed;
  if (TO_NONE.test(line)) return words;
  return `${words}${TO_TOKEN.test(line) ? ' of' : ' to'} ${nameOf(who_id)}`;
}
