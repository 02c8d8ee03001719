/**
 * Something that goes wrong with a request.
 *
 * How the answer is carried. The request has been carried out by then, but for `refuse`:
 * - `refuse`: the connection is reset, and nothing is carried out.
 * - `reset_before_headers`, `reset_in_body`, `close_in_body`: the connection breaks there.
 * - `stall_before_headers`, `stall_in_body`: no further byte comes, and the connection stays open.
 * - `truncated_json`: half of the answer comes, as if it were the whole.
 *
 * What is answered instead, by a server or a proxy in trouble, with nothing carried out:
 * - `wrong_json`: other JSON than was promised. `html`: a page, with this `status` (default 502).
 * - `empty`: no body, with this `status` (default 500). `oversized`: an answer of `bytes` (default 9 MiB).
 * - `rate_limited`: 429, and a wish to wait for `wait` ms (default 1,000), said in this `form` (default `seconds`).
 * - `unauthorized`: 401, as for a token that has expired. `redirect`: 302.
 *
 * What is wrong with the index of an answer: `index_missing`, `index_empty`, `index_backwards` (by `ms`, default 10,000),
 * `index_absurd` (far longer than any URL), `index_skewed` (another machine's, whose clock is `ms` off; default -250).
 *
 * Habits of deployed servers:
 * - `hot`: where nothing is new, that is said at once, with a new index. `repeat`: the last events are given again.
 * - `retention_passed`: the index is taken for too old: what was waiting is lost without a word.
 * - `last_event_only`: of the events between two polls only the last was kept.
 * - `count_ignored`: pages have the default size, and the second repeats the first, less one.
 */
export type Fault =
  | { readonly kind: 'refuse' | 'reset_before_headers' | 'reset_in_body' | 'close_in_body' }
  | { readonly kind: 'stall_before_headers' | 'stall_in_body' | 'truncated_json' }
  | { readonly kind: 'wrong_json' | 'unauthorized' | 'redirect' }
  | { readonly kind: 'html' | 'empty'; readonly status?: number }
  | { readonly kind: 'oversized'; readonly bytes?: number }
  | { readonly kind: 'rate_limited'; readonly form?: 'seconds' | 'date' | 'metadata'; readonly wait?: number }
  | { readonly kind: 'index_missing' | 'index_empty' | 'index_absurd' }
  | { readonly kind: 'index_backwards' | 'index_skewed'; readonly ms?: number }
  | { readonly kind: 'hot' | 'repeat' | 'retention_passed' | 'last_event_only' | 'count_ignored' };
