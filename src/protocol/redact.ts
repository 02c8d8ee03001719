const SHORTEST = 4;

/**
 * A text with every secret in it blotted out. A secret of less than four characters is let be: it would blot out half
 * of any message, and is no secret.
 */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (clean, secret) => (secret.length < SHORTEST ? clean : clean.replaceAll(secret, '[secret]')),
    text,
  );
}
