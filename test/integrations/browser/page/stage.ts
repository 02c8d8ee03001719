import { deepStrictEqual } from 'node:assert';
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { waitUntil } from '../../../wait-until.js';
import { createSite, type Sharing } from './site.js';
import { Tab } from './tab.js';

/** Debian's, or what `CHROMIUM` says. */
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Starts a browser, or ends the process with one line that says what is missing. */
export async function startChromium(...args: string[]): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    console.error(`There is no ${CHROMIUM}. Install chromium, or set CHROMIUM to its path.`);
    process.exit(2);
  }
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', ...args],
    // Pages are to be kept in the back/forward cache, and hidden ones to be slow, as those of users
    // are.
    ignoreDefaultArgs: [
      '--disable-back-forward-cache',
      '--disable-background-timer-throttling',
      '--disable-backgrounding-occluded-windows',
      '--disable-renderer-backgrounding',
    ],
  });
}

/** A site, and tabs of a browser that are on it. */
export async function createStage(browser: Browser, worker?: string) {
  const site = await createSite('follower.ts', worker);
  const devTools = await browser.newBrowserCDPSession();
  const tabs: Tab[] = [];
  return {
    ...site,
    /**
     * Opens tabs, the last of which is visible. `kinds` has the kinds of events that their
     * deployment declares.
     */
    openTabs: async (sharing: Sharing, count: number, kinds = ''): Promise<readonly Tab[]> => {
      const opened: Tab[] = [];
      for (let n = 0; n < count; n++) {
        const tab = await Tab.open(devTools, site.pageUrl(sharing, '', kinds));
        tabs.push(tab);
        opened.push(tab);
        await waitUntil(async () => (await tab.followed())?.states.at(-1) === 'live');
      }
      return opened;
    },
    close: async () => {
      for (const tab of tabs) await tab.close().catch(() => undefined);
      await devTools.detach();
      await site.close();
    },
  };
}
export type Stage = Awaited<ReturnType<typeof createStage>>;

/** Waits until these events, and no others, have come to all of these tabs, without a gap. */
export async function haveAll(
  tabs: readonly Pick<Tab, 'followed'>[],
  events: readonly string[],
): Promise<void> {
  for (const tab of tabs) {
    await waitUntil(async () => ((await tab.followed())?.events.length ?? 0) >= events.length);
    const followed = await tab.followed();
    deepStrictEqual([followed?.events, followed?.gaps], [events, []]);
  }
}
