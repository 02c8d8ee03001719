/** What could move the cursor of a terminal, colour it, break a line of a log or reorder its text; and lone surrogates. */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const UNSAFE_RUNS = new RegExp(`${UNSAFE.source}+`, 'gu');
const EACH_UNSAFE = new RegExp(UNSAFE.source, 'gu');

/** Replaces control characters with spaces: text from elsewhere must not control the terminal or the log that shows it. */
export function printable(text: string): string {
  return text.replace(UNSAFE_RUNS, ' ');
}

/** Escapes control characters in JSON. `JSON.stringify` leaves some of them as they are, such as U+009B. */
export function printableJson(json: string): string {
  return json.replace(EACH_UNSAFE, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
