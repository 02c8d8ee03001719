import { jsonHash, textHash } from '../protocol/index.js';

/**
 * A hash of an answer's text without its `watch`, which changes although the data has not. Answers
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

/** Nothing follows but the end of the answer itself, so that it is no part of an event. */
const WATCH_AT_END = /^"watch"\s*:\s*\{[^{}]*\}\s*\}\s*$/;
const WATCH_AT_START = /^\s*\{\s*"watch"\s*:\s*\{[^{}]*\}/;
