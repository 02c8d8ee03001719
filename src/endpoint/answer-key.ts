import { jsonHash, textHash } from '../protocol/index.js';

/**
 * A hash of an answer's text without its `watch`, which changes even if the data does not. Answers
 * with the same key have the same text, for all practical purposes. The text itself need not be
 * kept.
 */
export function answerKey(answer: unknown, text?: string): number {
  if (text === undefined) return jsonHash(answer, ['watch']);
  if (text === '') return 0;
  const start = text.lastIndexOf('"watch"');
  if (start >= 0 && WATCH_AT_END.test(text.slice(start))) return textHash(text.slice(0, start));
  const head = WATCH_AT_START.exec(text);
  return head ? textHash(text.slice(head[0].length)) : jsonHash(JSON.parse(text), ['watch']);
}

/** Only the end of the answer itself may follow, so that the match is no part of an event. */
const WATCH_AT_END = /^"watch"\s*:\s*\{[^{}]*\}\s*\}\s*$/;
const WATCH_AT_START = /^\s*\{\s*"watch"\s*:\s*\{[^{}]*\}/;
