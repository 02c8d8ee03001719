/** Metadata may be any number; one that is a date of this century is a moment. */
const A_MOMENT = Date.UTC(2000);

/**
 * How long a service asks to wait, in ms: the `retry-after` header in seconds or as an HTTP date; or, since browsers hide
 * that header, the moment that a rate limit's `metadata` gives in ms.
 */
export function retryAfter(header: string | null, metadata: unknown, now: number): number | undefined {
  const said = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(said)) return Number(said) * 1000;
  // `Date.parse` takes '-5' and '1.5' for dates too.
  const byHeader = /^[A-Za-z]{3}/.test(said) ? Date.parse(said) : NaN;
  const byMetadata = typeof metadata === 'number' || typeof metadata === 'string' ? Number(metadata) : NaN;
  const moment = Number.isNaN(byHeader) ? byMetadata : byHeader;
  return Number.isFinite(moment) && moment > A_MOMENT ? Math.max(0, moment - now) : undefined;
}
