import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import type { Browser } from 'playwright-core';
import { waitUntil } from '../../../wait-until.js';
import { haveAll } from './site-in-tabs.js';
import { createStage, startChromium, type Stage } from './stage.js';
import type { Tab } from './tab.js';

describe('tabs in Chromium', function () {
  this.timeout(60_000);
  let browser: Browser;
  let stage: Stage;
  before(async () => {
    browser = await startChromium();
  });
  after(() => browser.close());
  beforeEach(async () => {
    stage = await createStage(browser);
  });
  afterEach(() => stage.close());

  const leadersOf = async (tabs: readonly Tab[]) => {
    const all = await Promise.all(tabs.map(tab => tab.followed()));
    return tabs.filter((_, i) => all[i]?.isLeading);
  };

  it('have one poll, however many they are, and plain requests are not held up', async () => {
    const tabs = await stage.openTabs('tabs', 8);
    stage.publish('a');
    await haveAll(tabs, ['a']);
    await waitUntil(() => stage.polls() === 1);
    const took = await tabs[7]!.evaluate<number>('followed.ping()');
    ok(took < 1_000, `${took} ms`);
    console.log(`      a plain request of the eighth tab: ${took.toFixed(0)} ms`);
  });

  it('may be of two deployments: an older one that leads does not know the events of a newer one', async () => {
    const [older] = await stage.openTabs('tabs', 1);
    const [newer] = await stage.openTabs('tabs', 1, 'chat');
    for (let n = 0; n < 5; n++) stage.publish('chat');
    await haveAll([older!], Array<string>(5).fill('chat'));
    await waitUntil(async () => ((await newer!.followed())?.declared.length ?? 0) >= 5);
    deepStrictEqual((await newer!.followed())?.declared, Array(5).fill('chat'));
    deepStrictEqual(await leadersOf([older!, newer!]), [older]);
  });

  const ends: Readonly<Record<string, (leader: Tab) => unknown>> = {
    'is closed': leader => leader.close(),
    'has crashed': leader => leader.crash(),
    'is frozen': leader => leader.setLife('frozen'),
    'goes into the back/forward cache': leader => leader.navigate(stage.pageUrl('alone', 'elsewhere')),
  };
  for (const [what, end] of Object.entries(ends)) {
    it(`lose and double nothing when the leader ${what}`, async () => {
      const tabs = await stage.openTabs('tabs', 3);
      stage.publish('a');
      await haveAll(tabs, ['a']);
      const [leader] = await leadersOf(tabs);
      const others = tabs.filter(tab => tab !== leader);
      const start = Date.now();
      await end(leader!);
      stage.publish('b');
      await haveAll(others, ['a', 'b']);
      console.log(`      the next event: ${Date.now() - start} ms`);
      stage.publish('c');
      await haveAll(others, ['a', 'b', 'c']);
      strictEqual((await leadersOf(others)).length, 1);
    });
  }

  it('lose and double nothing when the leader hangs, and neither does the leader', async () => {
    const tabs = await stage.openTabs('tabs', 3);
    stage.publish('a');
    await haveAll(tabs, ['a']);
    const [leader] = await leadersOf(tabs);
    const others = tabs.filter(tab => tab !== leader);
    // The last one is visible, and takes the lead.
    await others.at(-1)!.show();
    const hanging = leader!.evaluate('{ const end = Date.now() + 6_000; while (Date.now() < end); }');
    const start = Date.now();
    stage.publish('b');
    await haveAll(others, ['a', 'b']);
    console.log(`      the next event: ${Date.now() - start} ms`);
    stage.publish('c');
    await haveAll(others, ['a', 'b', 'c']);
    await hanging;
    stage.publish('d');
    await haveAll(tabs, ['a', 'b', 'c', 'd']);
    await waitUntil(() => stage.polls() === 1);
    strictEqual((await leadersOf(tabs)).length, 1);
  });
});
