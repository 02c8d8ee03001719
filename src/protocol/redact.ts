const SHORTEST = 4;

/**
 * A text with every secret in it blotted out. A secret of less than four characters is let be: it would blot out half
 * of any message, and is no secret.
 */
export function redact(text: string, secrets: readonly string[]): string {
  // The longest first: one that is the beginning of another would leave the other's end readable.
  return [...secrets]
    .sort((a, b) => b.length - a.length)
    .reduce(
      (clean, secret) => (secret.length < SHORTEST ? clean : clean.replaceAll(secret, '[secret]')),
      text,
    );
}
