import { strictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '../../../wait-until.js';
import type { createSite } from './site.js';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/browser.md'), 'utf8');
/** The worker of the page, which leaves the service alone. */
const [, DOCUMENTED] = /```js \[sw\.js\]\n([^]*?)```/.exec(PAGE)!;
/** What makes it leave the service alone. */
const EXCLUSION = /^.*new URL[^]*?return;\n/m;

/** A new worker takes the pages that are open. */
const AT_ONCE = `addEventListener('install', () => skipWaiting());
addEventListener('activate', event => event.waitUntil(clients.claim()));
`;

/** A worker that passes all requests on, and the one of the page, for the paths of the emulator. */
export const WORKERS = {
  passesAllOn: AT_ONCE + DOCUMENTED!.replace(EXCLUSION, ''),
  leavesServiceAlone: AT_ONCE + DOCUMENTED!.replace('/lobby/', '/identity/'),
};

/** What the tests need of a tab, in any browser. */
interface WorkedTab {
  readonly evaluate: (expression: string) => Promise<unknown>;
}

/**
 * Wakes a page, and waits until its next poll is open. Returns how many polls the service then
 * holds.
 */
export async function pollsAfterWake(
  { emulator, polls }: Awaited<ReturnType<typeof createSite>>,
  tab: WorkedTab,
): Promise<number> {
  strictEqual(await tab.evaluate('navigator.serviceWorker.controller !== null'), true);
  const sent = () =>
    emulator.requests.filter(({ method, url }) => method === 'GET' && url.includes('watch_index'));
  await waitUntil(() => polls() === 1 && sent().length > 0);
  const before = sent().length;
  // A poll that is younger than a second is not aborted.
  const [held] = sent().slice(-1);
  await waitUntil(() => Date.now() - held!.at > 1_500);
  await tab.evaluate("dispatchEvent(new Event('online')) && 0");
  await waitUntil(() => sent().length > before);
  return polls();
}
