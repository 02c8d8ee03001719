import { strictEqual } from 'node:assert';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';

/**
 * Fails if a text is not what the file beside this one has. With `ACCEPT=1`, writes it there
 * instead.
 */
export async function strictEqualToAccepted(text: string, name: string): Promise<void> {
  const path = join(import.meta.dirname, name);
  const formatted = await format(text, { ...(await resolveConfig(path)), filepath: path });
  if (process.env.ACCEPT) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, formatted);
  }
  strictEqual(
    formatted,
    readFileSync(path, 'utf8'),
    `test/law/${name} has something else. If that is intended: npm run accept`,
  );
}
