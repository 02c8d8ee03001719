import { ok } from 'node:assert';
import type { Browser } from 'playwright-core';
import { waitUntil } from '../../../wait-until.js';
import { createSite } from './site.js';
import { startChromium } from './stage.js';

describe('the six connections of a page in Chromium', function () {
  this.timeout(60_000);
  let browser: Browser;
  before(async () => {
    browser = await startChromium();
  });
  after(() => browser.close());

  it('are enough for seven places that show a group, its feed, and requests beside them', async () => {
    const site = await createSite('many-rosters.ts');
    const { emulator, identity_id } = site;
    const group_id = emulator.addGroup();
    const join = (id: string) => emulator.join(group_id, id);
    join(identity_id);
    for (let n = 1; n < 30; n++) join(emulator.addIdentity().identity_id);
    const page = await browser.newPage();
    const sizes = () => page.evaluate<readonly number[] | undefined>('globalThis.sizes?.()');
    const areAll = (size: number) =>
      waitUntil(async () => (await sizes())?.every(shown => shown === size) ?? false);
    try {
      await page.goto(`${site.pageUrl('alone')}&group=${group_id}`);
      await areAll(30);
      await waitUntil(() => site.polls() === 2);
      // It would have to wait for a connection until the service has blocked a poll for 40 s.
      const took = await page.evaluate<number>('ask()');
      ok(took < 5_000, `${took} ms`);
      join(emulator.addIdentity().identity_id);
      await areAll(31);
      const polled = emulator.requests.filter(
        ({ url }) => url.includes('members') && url.includes('watch_index'),
      );
      ok(polled.length < 7, `${polled.length}`);
      await waitUntil(() => site.polls() === 2);
    } finally {
      await page.close();
      await site.close();
    }
  });
});
