import type { WatchStatus } from '../stream/index.js';

/** The status of a watch that has not begun, and of one on a server, which never does. */
export function connecting(): WatchStatus {
  return {
    ...{ state: 'connecting', since: Date.now(), lastAnswer: undefined, attempt: 0 },
    ...{ nextTry: undefined, error: undefined, hint: undefined },
  };
}
