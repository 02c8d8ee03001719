import { deepStrictEqual, match } from 'node:assert';
import { join } from 'node:path';
import axe from 'axe-core';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { waitUntil } from '../wait-until.js';
import { pages } from './pages.js';
import { serveSite } from './site.js';

/** Where to put the picture of the documentation. Default: nowhere. */
const { SCREENSHOTS } = process.env;
const runnable = pages
  .map(({ name, text }) => ({
    name,
    once: [...text.matchAll(/^<!-- run( once)? -->$/gm)].map(([, once]) => Boolean(once)),
  }))
  .filter(({ once }) => once.length > 0);

describe('Run, in the pages of the documentation (npm run docs:build)', function () {
  this.timeout(60_000);
  let browser: Browser;
  let site: Awaited<ReturnType<typeof serveSite>>;
  let page: Page;
  let errors: string[];
  const open = async (name: string) => {
    const path = name.replace(/^docs\/(.+)\.md$/, '$1.html').replace('home', 'index');
    await page.goto(`${site.url}/${path}`);
    await page.locator('.runnable').first().waitFor();
  };
  const press = (part: Locator, name: string) => part.getByRole('button', { name, exact: true }).click();
  /** In a picture, one thing happens after the other. */
  const apart = () => page.waitForTimeout(SCREENSHOTS ? 1_500 : 0);
  const shown = (part: Locator) => part.getByRole('log').innerText();
  before(async () => {
    site = await serveSite();
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  });
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1_300, height: 900 } });
    errors = [];
    page.on('pageerror', error => errors.push(String(error)));
  });
  afterEach(async () => {
    await page.close();
    deepStrictEqual(errors, []);
  });
  after(async () => {
    await browser.close();
    site.close();
  });

  it('is on the first page, and those of the feed, of groups, of stores and of errors', () => {
    deepStrictEqual(
      runnable.map(({ name }) => name),
      [
        'docs/errors.md',
        'docs/faults.md',
        'docs/feed.md',
        'docs/home.md',
        'docs/rosters.md',
        'docs/state.md',
      ],
    );
  });

  for (const { name, once } of runnable)
    it(`shows what the code shows, and draws its requests: ${name}`, async () => {
      await open(name);
      const parts = page.locator('.runnable');
      deepStrictEqual(await parts.count(), once.length);
      for (let i = 0; i < once.length; i++) {
        const part = parts.nth(i);
        for (const button of ['Run', 'Run again', 'Run again']) {
          await press(part, button);
          await waitUntil(async () => (await part.locator('.picture .poll').count()) > 0);
          // What reads once has nothing that could happen to it.
          const canHappen = (await part.getByText('Make it happen:').count()) > 0;
          deepStrictEqual(canHappen, !once[i]);
          for (const happening of canHappen
            ? ['A message', 'A friend goes away', 'A lobby join', 'A member joins']
            : [])
            await press(part, happening);
          await waitUntil(async () => (await shown(part)) !== '');
        }
        await press(part, 'Stop');
        // What went on has ended.
        await press(part, 'Run');
        await press(part, 'Stop');
      }
    });

  it('lets events, faults, sleep, a restart and the end of a token happen to a feed', async () => {
    await open('docs/feed.md');
    const part = page.locator('.runnable').first();
    const count = (selector: string) => part.locator(`.picture ${selector}`).count();
    await press(part, 'Run');
    await waitUntil(async () => (await shown(part)).includes('live'));
    await apart();
    await press(part, 'A message');
    await waitUntil(async () => (await count('.marble')) === 1);
    match(await shown(part), /A friend/);
    await apart();
    await press(part, 'A lobby join');
    await waitUntil(async () => (await count('.marble')) === 2);
    match(await shown(part), /wss?:\/\//);

    await apart();
    await part.getByLabel('A fault').selectOption('error');
    await press(part, 'A fault, then a message');
    await waitUntil(async () => (await count('.sign.failed')) === 1 && (await count('.marble')) === 3);
    match(await shown(part), /retrying/);

    await apart();
    await press(part, 'The token expires');
    await press(part, 'A friend goes away');
    await waitUntil(async () => (await count('.marble')) === 4);
    await waitUntil(async () => (await count('.poll.failed')) >= 2);
    match(await shown(part), /away/);

    await apart();
    await press(part, 'The service restarts');
    await waitUntil(async () => (await count('.sign.gap')) === 1);
    // What came after that index comes again.
    await waitUntil(async () => /index_backwards\nA friend\n[^]*away/.test(await shown(part)));
    await waitUntil(async () => (await count('.marble')) > 5);
    await apart();
    if (SCREENSHOTS) await part.screenshot({ path: join(SCREENSHOTS, 'run.png') });

    await page.evaluate(axe.source);
    for (const colorScheme of ['light', 'dark'] as const) {
      if (colorScheme === 'dark') await page.locator('.VPSwitchAppearance').first().click();
      const { violations } = await page.evaluate<axe.AxeResults>("axe.run('.runnable')");
      deepStrictEqual(violations, []);
    }
    await press(part, 'The machine sleeps for a minute');
    await waitUntil(async () => (await count('.sign.woken')) === 1);
    await press(part, 'A message');
    await waitUntil(async () => (await count('.marble')) >= 1);
    await press(part, 'Stop');
  });
});
