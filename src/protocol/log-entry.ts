/** What a request or a watch has in common with every other entry of the log. */
interface Timed {
  /** When, in ms since 1970. */
  readonly at: number;
}

/**
 * One entry of the log. It holds no token: neither headers nor bodies are in it, and errors are free of them.
 *
 * - `request`: a request went out; `answer`, `failure` or `abort` follows, with how long it took, in ms.
 * - `turn`: a poll of a watch has been dealt with: what it came to (`outcome`), how long the watch waits before the next one
 *   (`wait`, in ms) and `why`: there was `news`, or `nothing` and polls are kept apart; it `failed`, and backs off; the
 *   service `asked` for the wait; the machine `woke`; the consumer's `ack` failed; or the watch `ended`.
 * - `gap`: something may have been missed, for the reason given.
 */
export type LogEntry = Timed &
  (
    | { readonly kind: 'request'; readonly method: string; readonly url: string }
    | {
        readonly kind: 'answer';
        readonly method: string;
        readonly url: string;
        readonly status: number;
        readonly ms: number;
      }
    | {
        readonly kind: 'failure';
        readonly method: string;
        readonly url: string;
        readonly error: unknown;
        readonly ms: number;
      }
    | { readonly kind: 'abort'; readonly method: string; readonly url: string; readonly ms: number }
    | {
        readonly kind: 'turn';
        readonly why: 'news' | 'nothing' | 'failed' | 'asked' | 'woke' | 'ack' | 'ended';
        readonly wait: number;
        readonly attempt: number;
        readonly error: unknown;
      }
    | { readonly kind: 'gap'; readonly reason: string; readonly index: string | undefined }
  );
