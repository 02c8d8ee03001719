import type { WatchStatus } from 'lobby-rx';

/** The first status of a watch, at 0. */
export const CONNECTING: WatchStatus = {
  state: 'connecting',
  since: 0,
  lastAnswer: undefined,
  attempt: 0,
  nextTry: undefined,
  error: undefined,
  hint: undefined,
};
