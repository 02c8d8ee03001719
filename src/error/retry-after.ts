/**
 * The longest wait that a service may ask for, in ms. Its rate limits use windows of 15 minutes.
 * `retryAfter` may return more. Whatever waits cuts it to this: for a watch and for `backoff`, that
 * is `backoffDelay` in `stream/timing/backoff.ts`.
 */
export const MAX_WAIT_MS = 900_000;

/** Metadata may be any number. It counts as a time only if it is later than this. */
const YEAR_2000 = Date.UTC(2000);

/**
 * How long the service asks to wait, in ms. It comes from the `Retry-After` header, which is in
 * seconds or an HTTP date. Browsers hide that header. Then it comes from the `metadata` of a rate
 * limit, a time in ms since 1970. A time counts from the answer's own `Date`. If a browser hides
 * that, too, it counts from this machine's clock, which may be wrong, and is at most `MAX_WAIT_MS`.
 */
export function retryAfter(
  headers: { readonly get: (name: string) => string | null },
  metadata: unknown,
  now: number,
): number | undefined {
  const header = once(headers.get('retry-after') ?? '');
  if (/^\d+(\.\d*)?$/.test(header)) return Math.min(Number(header) * 1000, Number.MAX_SAFE_INTEGER);
  const until = httpDate(header) ?? time(metadata);
  if (until === undefined) return undefined;
  const sent = httpDate(once(headers.get('date') ?? ''));
  return Math.max(0, sent === undefined ? Math.min(until - now, MAX_WAIT_MS) : until - sent);
}

/** Takes a header that came several times with the same value, such as `30, 30`, for one. */
function once(header: string): string {
  const text = header.trim();
  return /^(.{1,60}?)(?:\s*,\s*\1)+$/.exec(text)?.[1] ?? text;
}

/** The time of an HTTP date. `Date.parse` alone would also accept '-5' and '1.5'. */
function httpDate(header: string): number | undefined {
  return /^\s*[A-Za-z]{3}/.test(header) ? time(Date.parse(header)) : undefined;
}

function time(value: unknown): number | undefined {
  const ms = typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN;
  return Number.isFinite(ms) && ms > YEAR_2000 ? ms : undefined;
}
