import { deepStrictEqual } from 'node:assert';
import { waitUntil } from '../../../wait-until.js';
import type { Followed } from './follower.js';
import { createSite, type Sharing } from './site.js';

/** What is common to the tabs of all browsers. */
export interface SiteTab {
  /** What has come so far; undefined before the page is loaded. */
  followed(): Promise<Omit<Followed, 'ping'> | undefined>;
  close(): Promise<unknown>;
}

/** A site, and tabs of a browser that are on it. */
export async function createSiteInTabs<T extends SiteTab>(
  openTab: (url: string) => Promise<T>,
  worker?: string,
) {
  const site = await createSite('follower.ts', worker);
  const tabs: T[] = [];
  return {
    ...site,
    /**
     * Opens tabs, the last of which is visible. `kinds` has the kinds of events that their
     * deployment declares.
     */
    openTabs: async (sharing: Sharing, count: number, kinds = ''): Promise<readonly T[]> => {
      const opened: T[] = [];
      for (let n = 0; n < count; n++) {
        const tab = await openTab(site.pageUrl(sharing, '', kinds));
        tabs.push(tab);
        opened.push(tab);
        await isLive(tab);
      }
      return opened;
    },
    close: async () => {
      for (const tab of tabs) await tab.close().catch(() => undefined);
      await site.close();
    },
  };
}
export type SiteInTabs<T extends SiteTab> = Awaited<ReturnType<typeof createSiteInTabs<T>>>;

/** Waits until the feed of a tab is live. */
export async function isLive(tab: SiteTab): Promise<void> {
  await waitUntil(async () => (await tab.followed())?.states.at(-1) === 'live');
}

/** Waits until these events, and no others, have come to all of these tabs, without a gap. */
export async function haveAll(tabs: readonly SiteTab[], events: readonly string[]): Promise<void> {
  for (const tab of tabs) {
    await waitUntil(async () => ((await tab.followed())?.events.length ?? 0) >= events.length);
    const followed = await tab.followed();
    deepStrictEqual([followed?.events, followed?.gaps], [events, []]);
  }
}
