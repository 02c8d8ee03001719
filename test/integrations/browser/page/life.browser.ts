import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import type { Browser } from 'playwright-core';
import { waitUntil } from '../../../wait-until.js';
import { haveAll } from './site-in-tabs.js';
import { createStage, startChromium, type Stage } from './stage.js';

/**
 * How long a tab is hidden, in minutes. The timers of hidden pages are slowed after 5 of them; here
 * after 5 s.
 */
const HIDDEN = Number(process.env.HIDDEN_MINUTES ?? 0.4);
const isShortened = HIDDEN < 5;
const PAUSE = isShortened ? 400 : 5_000;

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

describe('the life of a page in Chromium', function () {
  this.timeout(60_000 + HIDDEN * 60_000);
  let browser: Browser;
  let stage: Stage;
  before(async () => {
    const throttling = '--enable-features=IntensiveWakeUpThrottling:grace_period_seconds/5';
    browser = await startChromium(...(isShortened ? [throttling] : []));
  });
  after(() => browser.close());
  beforeEach(async () => {
    stage = await createStage(browser);
  });
  afterEach(() => stage.close());

  it('a hidden tab gets every event, although its timers are slow', async () => {
    const [tab] = await stage.openTabs('alone', 1);
    const [other] = await stage.openTabs('alone', 1);
    await other!.show();
    strictEqual(await tab!.evaluate('document.visibilityState'), 'hidden');
    const published: string[] = [];
    const end = Date.now() + HIDDEN * 60_000;
    while (Date.now() < end) {
      published.push(`e${published.length}`);
      stage.publish(published.at(-1)!);
      await pause(PAUSE);
    }
    await haveAll([tab!], published);
    console.log(`      ${published.length} of ${published.length} events`);
    const slow = await tab!.evaluate<number>(
      '(async () => { const start = performance.now(); for (let n = 0; n < 2; n++) await new Promise(r => setTimeout(r, 5)); return performance.now() - start; })()',
    );
    ok(slow > 500, `the timers were not slow: ${slow} ms`);
  });

  for (const sharing of ['alive', 'tabs'] as const) {
    it(`six pages that were left keep no poll, and go on when one comes back (${sharing})`, async () => {
      const [tab] = await stage.openTabs(sharing, 1);
      for (let page = 1; page <= 6; page++) {
        await tab!.navigate(stage.pageUrl(sharing, `${page}`));
        await waitUntil(async () => (await tab!.followed())?.states.at(-1) === 'live');
        await waitUntil(() => stage.polls() === 1);
      }
      stage.publish('a');
      await haveAll([tab!], ['a']);
      for (let page = 5; page >= 0; page--) {
        await tab!.evaluate('history.back()');
        await waitUntil(async () => {
          const path = await tab!.evaluate<string>('location.pathname');
          return path === `/${page || ''}` && stage.polls() === 1;
        });
      }
      // The first page was in the cache, is not loaded anew, and missed nothing.
      deepStrictEqual(await tab!.evaluate('performance.getEntriesByType("navigation")[0].type'), 'navigate');
      await haveAll([tab!], ['a']);
      // The event that it missed ended a poll, and the next one comes after its preflight.
      await waitUntil(() => stage.polls() === 1);
    });
  }

  it('a page says that the service is gone, and loses nothing', async () => {
    const [tab] = await stage.openTabs('alone', 1);
    await stage.stopService();
    await waitUntil(async () => (await tab!.followed())?.states.at(-1) === 'retrying');
    stage.publish('a');
    await stage.restartService();
    await haveAll([tab!], ['a']);
    await waitUntil(async () => (await tab!.followed())?.states.at(-1) === 'live');
  });

  it('a page that was offline polls as soon as it is online', async () => {
    const [tab] = await stage.openTabs('alone', 1);
    await tab!.setOffline(true);
    // It ends the poll, which has been held since before.
    stage.publish('last');
    await waitUntil(async () => (await tab!.followed())?.states.at(-1) === 'retrying');
    await pause(3_000);
    stage.publish('a');
    const start = Date.now();
    await tab!.setOffline(false);
    await haveAll([tab!], ['last', 'a']);
    console.log(`      the next event: ${Date.now() - start} ms after it was online`);
  });
});
