import { ok, strictEqual } from 'node:assert';
import { waitUntil } from '../../../wait-until.js';
import { createSite, type Sharing } from '../page/site.js';
import { haveAll } from '../page/stage.js';
import { WebKit, type WebKitTab } from './webkit.js';

describe('a feed in WebKit', function () {
  this.timeout(60_000);
  let webkit: WebKit;
  let site: Awaited<ReturnType<typeof createSite>>;
  let tabs: WebKitTab[] = [];
  before(async () => {
    webkit = await WebKit.start();
  });
  after(() => webkit.close());
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
      const tab = await webkit.openTab(site.pageUrl(sharing));
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
    const [tab] = tabs as [WebKitTab];
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

  it('aborts its poll at a wake, which the service sees, and sends the next', async () => {
    await open('alone', 1);
    const { length } = site.emulator.requests;
    // Not the preflight of one.
    const aborted = site.emulator.requests.find(({ pending }) => pending)!;
    await waitUntil(async () => {
      await tabs[0]!.evaluate("dispatchEvent(new Event('online'))");
      return site.emulator.requests.length > length;
    });
    await waitUntil(() => !aborted.pending);
    strictEqual(aborted.status, undefined);
    await waitUntil(() => site.polls() === 1);
    site.publish('after');
    await haveAll(tabs, ['after']);
  });

  for (const kind of ['reset_in_body', 'close_in_body', 'truncated_json'] as const)
    it(`tries again after a broken body (${kind})`, async () => {
      await open('alone', 1);
      // The poll that is open already is not affected, but the next one.
      site.emulator.fault(
        { kind },
        { times: 1, only: ({ method, url }) => method === 'GET' && url.includes('watch_index') },
      );
      site.publish('first');
      await haveAll(tabs, ['first']);
      await waitUntil(() => site.polls() === 1);
      site.publish('second');
      await haveAll(tabs, ['first', 'second']);
      const { states } = (await tabs[0]!.followed())!;
      ok(states.includes('retrying'), states.join());
    });
});
