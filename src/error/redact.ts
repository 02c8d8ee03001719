const SHORTEST_SECRET = 4;

/**
 * A text with every secret in it replaced by `[secret]`. A secret of fewer than four characters is left: replacing it
 * would make any message unreadable, and it is no secret.
 */
export function redact(text: string, secrets: readonly string[]): string {
  // The longest first: replacing one that another begins with would leave the other's end readable.
  return [...secrets]
    .sort((a, b) => b.length - a.length)
    .reduce(
      (clean, secret) => (secret.length < SHORTEST_SECRET ? clean : clean.replaceAll(secret, '[secret]')),
      text,
    );
}

/** The body of an answer without secrets: found in JSON however they are escaped there, in any other text as they are. */
export function redactBody(text: string, secrets: readonly string[]): string {
  try {
    return JSON.stringify(redactJson(JSON.parse(text), secrets));
  } catch {
    return redact(text, secrets);
  }
}

/**
 * Keys of the first level stay: they are the document's own, and a player who picks `code` as their token must not be
 * able to remove that field.
 */
function redactJson(value: unknown, secrets: readonly string[], isTop = true): unknown {
  if (typeof value === 'string') return redact(value, secrets);
  if (Array.isArray(value)) return value.map(item => redactJson(item, secrets, false));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      isTop ? key : redact(key, secrets),
      redactJson(item, secrets, false),
    ]),
  );
}
