import { strictEqual } from 'node:assert';
import { waitUntil } from '../../../wait-until.js';
import { createSiteInTabs, haveAll, type SiteInTabs, type SiteTab } from './site-in-tabs.js';

/** A browser that a test has started. */
interface StartedBrowser<T extends SiteTab> {
  openTab(url: string): Promise<T>;
  close(): Promise<void>;
}

/** Starts a browser for the tests of a suite, and a site for each of them. */
export class Sites<T extends SiteTab> {
  #browser: StartedBrowser<T> | undefined;
  #site: SiteInTabs<T> | undefined;

  constructor(start: () => Promise<StartedBrowser<T>>) {
    before(async () => {
      this.#browser = await start();
    });
    after(() => this.#browser?.close());
    beforeEach(async () => {
      this.#site = await this.#open();
    });
    afterEach(() => this.#site?.close());
  }

  /** The site of the test that runs. */
  get current(): SiteInTabs<T> {
    return this.#site!;
  }

  /** Has a site with a service worker instead. */
  async replace(worker: string): Promise<SiteInTabs<T>> {
    await this.#site!.close();
    this.#site = await this.#open(worker);
    return this.#site;
  }

  #open(worker?: string): Promise<SiteInTabs<T>> {
    return createSiteInTabs(url => this.#browser!.openTab(url), worker);
  }
}

/** The tests that a feed passes in any browser. */
export function passesInAnyBrowser(sites: Sites<SiteTab>): void {
  it('gets all events, says that the service is gone, and loses nothing', async () => {
    const site = sites.current;
    const [tab] = await site.openTabs('alone', 1);
    site.publish('before');
    await haveAll([tab!], ['before']);
    await site.stopService();
    await waitUntil(async () => (await tab!.followed())?.states.at(-1) === 'retrying');
    site.publish('meanwhile');
    await site.restartService();
    await haveAll([tab!], ['before', 'meanwhile']);
  });

  it('is one poll in eight tabs, which another tab continues when the leader is closed', async () => {
    const site = sites.current;
    const tabs = await site.openTabs('tabs', 8);
    strictEqual(site.polls(), 1);
    site.publish('first');
    await haveAll(tabs, ['first']);
    const all = await Promise.all(tabs.map(tab => tab.followed()));
    const leader = tabs[all.findIndex(followed => followed?.isLeading)]!;
    site.publish('second');
    await leader.close();
    site.publish('third');
    await haveAll(
      tabs.filter(tab => tab !== leader),
      ['first', 'second', 'third'],
    );
    await waitUntil(() => site.polls() === 1);
  });
}
