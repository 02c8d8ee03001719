import { strictEqual } from 'node:assert';
import type { Browser } from 'playwright-core';
import { waitUntil } from '../../../wait-until.js';
import { pollsAfterWake, WORKERS } from './service-worker.js';
import { haveAll } from './site-in-tabs.js';
import { createStage, startChromium, type Stage } from './stage.js';

describe('a page of Chromium with a service worker', function () {
  this.timeout(90_000);
  let browser: Browser;
  let stage: Stage;
  before(async () => {
    browser = await startChromium();
  });
  after(() => browser.close());
  afterEach(() => stage.close());

  it('has one poll after a wake if the worker leaves the service alone, as the page says', async () => {
    stage = await createStage(browser, WORKERS.leavesServiceAlone);
    const tabs = await stage.openTabs('alone', 1);
    await pollsAfterWake(stage, tabs[0]!);
    await waitUntil(() => stage.polls() === 1);
    stage.publish('a');
    await haveAll(tabs, ['a']);
  });

  it('leaves the aborted poll open at the service if the worker passes all on; events come', async () => {
    stage = await createStage(browser, WORKERS.passesAllOn);
    const tabs = await stage.openTabs('alone', 1);
    strictEqual(await pollsAfterWake(stage, tabs[0]!), 2);
    stage.publish('a');
    await haveAll(tabs, ['a']);
  });
});
