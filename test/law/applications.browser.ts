import { deepStrictEqual } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { buildApplications } from '../../docs/.vitepress/applications/build.js';
import { waitUntil } from '../wait-until.js';
import { serve } from './site.js';

describe('The applications of the site (npm run docs:build installs React)', function () {
  this.timeout(60_000);
  let browser: Browser;
  let folder: string;
  let site: Awaited<ReturnType<typeof serve>>;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'applications-'));
    await buildApplications(join(folder, 'applications'));
    site = await serve(folder);
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  });
  after(async () => {
    await browser.close();
    site.close();
    rmSync(folder, { recursive: true });
  });

  for (const name of ['angular', 'react'])
    it(`shows a group that changes: ${name}`, async () => {
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on('pageerror', error => errors.push(String(error)));
      await page.goto(`${site.url}/applications/${name}.html`);
      const shows = (text: string) =>
        waitUntil(async () => (await page.locator('main').innerText()).includes(text));
      await shows('live');
      await page.getByRole('button', { name: 'A member joins' }).click();
      await shows('A new member');
      await page.getByRole('button', { name: 'A lobby join' }).click();
      await page.getByRole('button', { name: 'The service fails for a while' }).click();
      await shows('retrying');
      await shows('live');
      deepStrictEqual(errors, []);
      await page.close();
    });
});
