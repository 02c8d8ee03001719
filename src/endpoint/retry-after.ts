/**
 * How long a service asks to wait, in ms: the `retry-after` header in seconds or as an HTTP date; or, since browsers hide
 * that header, the moment that a rate limit's `metadata` gives in ms.
 */
export function retryAfter(header: string | null, metadata: unknown, now: number): number | undefined {
  if (header !== null && /^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
  const moment = header === null ? Number(metadata ?? NaN) : Date.parse(header);
  return Number.isFinite(moment) && moment > A_MOMENT ? Math.max(0, moment - now) : undefined;
}

/** Metadata may be any number; one that is a date of this century is a moment. */
const A_MOMENT = Date.UTC(2000);
