import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { waitUntil } from '../../../wait-until.js';
import { createSite } from './site.js';
import { startChromium } from './stage.js';

/** Where to put the picture of the documentation. Default: nowhere. */
const { SCREENSHOTS } = process.env;
const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

describe('<lobby-marbles> in Chromium', function () {
  this.timeout(60_000);
  let browser: Browser;
  let site: Awaited<ReturnType<typeof createSite>>;
  let page: Page;
  const errors: string[] = [];
  const open = async (mode = '') => {
    page = await browser.newPage({ viewport: { width: 900, height: 400 }, deviceScaleFactor: 2 });
    page.on('pageerror', error => errors.push(String(error)));
    await page.goto(site.pageUrl('alone', '', mode));
  };
  const count = (selector: string) => page.locator(`lobby-marbles .picture ${selector}`).count();
  before(async () => {
    browser = await startChromium();
    site = await createSite('marbles-page.ts');
  });
  afterEach(async () => {
    await page.close();
    deepStrictEqual(errors, []);
  });
  after(async () => {
    await browser.close();
    await site.close();
  });

  it('shows a feed through an outage, as a picture and as a list', async () => {
    const { publish, emulator, identity_id } = site;
    const { lobby_id } = emulator.addLobby();
    await open();
    await waitUntil(() => site.polls() === 1);
    await pause(1_500);
    emulator.updatePresence(identity_id, { status: 'online' });
    await waitUntil(async () => (await count('.marble')) === 1);
    await pause(800);
    publish('chat_message');
    await waitUntil(async () => (await count('.marble')) === 2);
    await pause(2_000);
    await site.stopService();
    await waitUntil(async () => (await count('.line.retrying')) === 1 && (await count('.sign.failed')) >= 4);
    emulator.sendLobbyJoin(identity_id, lobby_id); // The service is away: it comes with the first answer.
    await site.restartService();
    await waitUntil(async () => (await count('.marble')) === 3);
    await waitUntil(() => site.polls() === 1);
    await pause(2_500);
    publish('chat_message');
    await waitUntil(async () => (await count('.marble')) === 4);
    await pause(1_000);
    strictEqual(await count('.sign.gap'), 0);
    strictEqual(
      await page.locator('lobby-marbles .picture > g:last-child text').innerHTML(),
      'the events of Ada',
    );

    await page.getByRole('button', { name: 'Pause' }).press('Enter');
    await page.locator('lobby-marbles .picture .marble').first().hover();
    match(await page.locator('lobby-marbles p').innerText(), /the events of Ada: identity update$/);
    if (SCREENSHOTS)
      await page.locator('lobby-marbles').screenshot({ path: join(SCREENSHOTS, 'marbles.png') });
    deepStrictEqual(
      (await page.locator('lobby-marbles .legend .marble text').allTextContents()).join(''),
      'ICM',
    );
    const explained = await page.locator('lobby-marbles .legend > span:not([hidden])').allInnerTexts();
    for (const [shape, label] of [
      ['.poll.open', 'open'],
      ['.poll.news', 'with news'],
      ['.line.retrying', 'retrying'],
      ['.sign.cut', 'cut off'],
      ['.line.paused', 'over'],
    ] as const)
      strictEqual(explained.includes(label), (await count(shape)) > 0, label);
    const before = await page.locator('lobby-marbles .picture > g').first().getAttribute('transform');
    await pause(300);
    strictEqual(await page.locator('lobby-marbles .picture > g').first().getAttribute('transform'), before);
    await page.getByText('As a list').press('Enter');
    await page.locator('lobby-marbles li').first().waitFor();
    const list = await page.locator('lobby-marbles li').allInnerTexts();
    match(
      list.join('\n'),
      /chat message\n[^]*poll from index \d+, [\d.]+ s old; failed after[^]*identity update/,
    );

    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(scheme => {
        document.documentElement.style.colorScheme = scheme;
        document.body.style.background = 'Canvas';
        document.body.style.color = 'CanvasText';
      }, colorScheme);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<axe.AxeResults>("axe.run('lobby-marbles')");
      deepStrictEqual(violations, []);
    }
    await page.setViewportSize({ width: 360, height: 640 });
    const beyond = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    ok(beyond <= 0, `${beyond} px too wide`);
    await page.getByRole('button', { name: 'Continue' }).press('Enter');
    await waitUntil(
      async () =>
        (await page.locator('lobby-marbles .picture > g').first().getAttribute('transform')) !== before,
    );
  });

  it('takes little of a frame with 20 watches and 50 events a second, and forgets what is not seen', async () => {
    await open('load');
    await waitUntil(async () => (await count('.marble')) > 300);
    await page.evaluate('frames.length = 0');
    await pause(12_000);
    const frames = (await page.evaluate<number[]>('frames')).sort((a, b) => a - b);
    const at = (share: number) => frames[Math.floor(share * (frames.length - 1))]!;
    const figures = [0.5, 0.95, 1].map(share => `${at(share).toFixed(1)} ms`).join(', ');
    console.log(`      script of ${frames.length} frames: median, 95 %, longest: ${figures}`);
    ok(at(0.5) <= 6, figures);
    // 19 s are seen, of 50 events a second.
    ok((await count('.marble')) < 1_100);
    strictEqual(await page.locator('lobby-marbles .picture > g:last-child text').count(), 20);
  });

  it('stands still for most of the time if the user wants little motion', async () => {
    page = await browser.newPage({ reducedMotion: 'reduce' });
    await page.goto(site.pageUrl('alone'));
    await waitUntil(() => site.polls() === 1);
    strictEqual((await page.evaluate<number[]>('frames')).length, 0);
    site.publish('chat_message');
    await waitUntil(async () => (await count('.marble')) === 1);
  });
});
