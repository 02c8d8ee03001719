import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { createSiteInTabs } from './site-in-tabs.js';
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

/** A site, and tabs of Chromium that are on it. */
export async function createStage(browser: Browser, worker?: string) {
  const devTools = await browser.newBrowserCDPSession();
  const site = await createSiteInTabs(url => Tab.open(devTools, url), worker);
  return {
    ...site,
    close: async () => {
      await site.close();
      await devTools.detach();
    },
  };
}
export type Stage = Awaited<ReturnType<typeof createStage>>;
