import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { EmulatedResponse } from '../emulator/index.js';

/** The page is beside the program that `npm run build` makes. From the sources, it is in `dist`. */
const PLACES = ['./workbench.html', '../../../dist/node/workbench.html'].map(
  place => new URL(place, import.meta.url),
);

/** The HTML of the page, a single file. Throws an error if it is not there. */
export function readWorkbenchPage(places: readonly URL[] = PLACES): string {
  const place = places.find(existsSync);
  if (!place) throw new Error('the page of the workbench is not built; run npm run build first');
  return readFileSync(place, 'utf8');
}

/**
 * The answer with the page. Its policy allows only the script of the page, and requests only to the
 * server of the page.
 */
export function pageAnswer(page: string): EmulatedResponse {
  const [, script = ''] = /<script type="module">([^]*)<\/script>/.exec(page) ?? [];
  const digest = createHash('sha256').update(script).digest('base64');
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${digest}'`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
    body: page,
  };
}
