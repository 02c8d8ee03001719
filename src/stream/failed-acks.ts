import { config } from 'rxjs';
import { guarded, textOf } from '../error/index.js';
import type { WatchLogEntry } from './watch-signal.js';

declare const console: { warn(text: string, error: unknown): void };

const warn = (error: unknown) => console.warn('lobby-rx: ack fails:', error);

/**
 * The log of a watch that is given none. It reports the error of `ack`: the first one, and each one
 * with another message. Without it, all that people see is the same events again and again. The
 * error goes to `config.onUnhandledError` of RxJS or, if that is not set, to the console. Nothing
 * is thrown, so the watch goes on.
 */
export function logFailedAcks(): (entry: WatchLogEntry) => void {
  let reported: string | undefined;
  return entry => {
    if (entry.kind !== 'poll_end' || entry.why !== 'ack_failed') return;
    const { error } = entry;
    if (reported === textOf(error)) return;
    reported = textOf(error);
    guarded(config.onUnhandledError ?? warn)(error);
  };
}
