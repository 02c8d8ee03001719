import { strictEqual } from 'node:assert';
import { waitUntil } from '../../../wait-until.js';
import { pollsAfterWake, WORKERS } from '../page/service-worker.js';
import { createSite, type Sharing } from '../page/site.js';
import { haveAll } from '../page/stage.js';
import { Firefox, type FirefoxTab } from './firefox.js';

describe('a feed in Firefox', function () {
  this.timeout(90_000);
  let firefox: Firefox;
  let site: Awaited<ReturnType<typeof createSite>>;
  let tabs: FirefoxTab[] = [];
  before(async () => {
    firefox = await Firefox.start();
  });
  after(() => firefox.close());
  beforeEach(async () => {
    site = await createSite();
  });
  afterEach(async () => {
    for (const tab of tabs) await tab.close().catch(() => undefined);
    tabs = [];
    await site.close();
  });
  const open = async (sharing: Sharing, count: number) => {
    for (let n = 0; n < count; n++) {
      const tab = await firefox.openTab(site.pageUrl(sharing));
      tabs.push(tab);
      await waitUntil(async () => (await tab.followed())?.states.at(-1) === 'live');
    }
  };
  const leader = async () => {
    const led = await Promise.all(tabs.map(async tab => (await tab.followed())?.isLeading));
    return led.indexOf(true);
  };

  it('gets all events, says that the service is gone, and loses nothing', async () => {
    await open('alone', 1);
    site.publish('before');
    await haveAll(tabs, ['before']);
    await site.stopService();
    await waitUntil(async () => (await tabs[0]!.followed())?.states.at(-1) === 'retrying');
    site.publish('meanwhile');
    await site.restartService();
    await haveAll(tabs, ['before', 'meanwhile']);
  });

  it('is one poll in eight tabs, which another tab continues when the leader is closed', async () => {
    await open('tabs', 8);
    strictEqual(site.polls(), 1);
    site.publish('first');
    await haveAll(tabs, ['first']);
    const [closed] = tabs.splice(await leader(), 1);
    site.publish('second');
    await closed!.close();
    site.publish('third');
    await haveAll(tabs, ['first', 'second', 'third']);
    await waitUntil(() => site.polls() === 1);
  });

  it('ends with a page that is left, and continues where it was when it comes back', async () => {
    await open('alive', 1);
    const [tab] = tabs as [FirefoxTab];
    site.publish('before');
    await haveAll(tabs, ['before']);
    await tab.navigate('about:blank');
    await waitUntil(() => site.polls() === 0);
    site.publish('meanwhile');
    await tab.back();
    await waitUntil(() => site.polls() === 1);
    site.publish('after');
    await haveAll(tabs, ['before', 'meanwhile', 'after']);
  });

  it('has one poll after a wake behind a service worker that leaves the service alone', async () => {
    await site.close();
    site = await createSite('follower.ts', WORKERS.leavesServiceAlone);
    await open('alone', 1);
    await pollsAfterWake(site, tabs[0]!);
    await waitUntil(() => site.polls() === 1);
    site.publish('a');
    await haveAll(tabs, ['a']);
  });

  it('leaves the aborted poll open at the service behind one that passes all on; events come', async () => {
    await site.close();
    site = await createSite('follower.ts', WORKERS.passesAllOn);
    await open('alone', 1);
    strictEqual(await pollsAfterWake(site, tabs[0]!), 2);
    site.publish('a');
    await haveAll(tabs, ['a']);
  });
});
