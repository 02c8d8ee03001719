import { jsonHash, textHash } from '../stream/index.js';

/**
 * A key of the text of an answer without its `watch`, which changes although nothing else does. Answers with the same key have the
 * same text, for all practical purposes. The text itself need not be kept.
 */
export function answerKey(text: string): number {
  const start = text.lastIndexOf('"watch"');
  if (start >= 0 && WATCH_AT_END.test(text.slice(start))) return textHash(text.slice(0, start));
  const head = WATCH_AT_START.exec(text);
  return head ? textHash(text.slice(head[0].length)) : jsonHash(JSON.parse(text), 'watch');
}

/** Nothing follows but the end of the answer itself, so that it is no part of an event. */
const WATCH_AT_END = /^"watch"\s*:\s*\{[^{}]*\}\s*\}\s*$/;
const WATCH_AT_START = /^\s*\{\s*"watch"\s*:\s*\{[^{}]*\}/;
