import { ok, strictEqual } from 'node:assert';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { createEmulator, listen } from 'lobby-rx/emulator';
import type { Browser } from 'playwright-core';
import { waitUntil } from '../../../wait-until.js';
import { startChromium } from './stage.js';

const ROOT = join(import.meta.dirname, '../../../..');
const WORKER = readFileSync(join(ROOT, 'node_modules/@angular/service-worker/ngsw-worker.js'), 'utf8');
const INDEX = '<!doctype html><title>Page</title><script type="module" src="/page.js"></script>';

/** What `ng build` writes for a default `ngsw-config.json`. */
function manifest(script: string): string {
  const hash = (text: string) => createHash('sha1').update(text).digest('hex');
  const group = { name: 'app', installMode: 'prefetch', updateMode: 'prefetch', patterns: [] };
  return JSON.stringify({
    configVersion: 1,
    timestamp: 1,
    index: '/index.html',
    assetGroups: [{ ...group, cacheQueryOptions: { ignoreVary: true }, urls: ['/index.html', '/page.js'] }],
    dataGroups: [],
    hashTable: { '/index.html': hash(INDEX), '/page.js': hash(script) },
    navigationUrls: [{ positive: true, regex: '^\\/.*$' }],
  });
}

/** A site with Angular's service worker, which passes on to the service what is below `/lobby`. */
async function createSite() {
  const emulator = createEmulator();
  const { identity_id, token } = emulator.addIdentity();
  const group_id = emulator.addGroup();
  emulator.join(group_id, identity_id);
  const service = await listen(emulator);
  const bundle = await build({
    entryPoints: [join(import.meta.dirname, 'service-worker-page.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    logLevel: 'warning',
    alias: { '#fetch': join(ROOT, 'src/transport/platform-fetch.ts') },
  });
  const script = bundle.outputFiles[0]!.text;
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    '/page.js': ['text/javascript', script],
    '/ngsw-worker.js': ['text/javascript', WORKER],
    '/ngsw.json': ['application/json', manifest(script)],
  };
  const site = createServer((request, response) => {
    const path = request.url ?? '';
    if (path.startsWith('/lobby/')) {
      const { method, headers } = request;
      const passed = forward(`${service.url}${path.slice(6)}`, { method, headers }, answer => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      passed.on('error', () => response.destroy());
      response.on('close', () => passed.destroy());
      request.pipe(passed);
      return;
    }
    const [type, text] = files[path.split('?')[0]!] ?? ['text/html', INDEX];
    response.setHeader('content-type', type);
    response.end(text);
  });
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  return {
    emulator,
    urls: { 'the origin of the page': `${origin}/lobby`, 'another origin': service.url },
    pageUrl: (url: string) => `${origin}/?${new URLSearchParams({ url, token, group: group_id }).toString()}`,
    polls: () => emulator.requests.filter(({ pending }) => pending).length,
    close: async () => {
      site.close();
      site.closeAllConnections();
      await service.close();
    },
  };
}

describe('a page in Chromium that the service worker of Angular controls', function () {
  this.timeout(60_000);
  let browser: Browser;
  let site: Awaited<ReturnType<typeof createSite>>;
  before(async () => {
    browser = await startChromium();
    site = await createSite();
  });
  after(async () => {
    await browser.close();
    await site.close();
  });

  for (const place of ['the origin of the page', 'another origin'] as const) {
    it(`sends its requests past it, to ${place}`, async () => {
      const { emulator, polls, pageUrl, urls } = site;
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(pageUrl(urls[place]));
      await page.waitForFunction('globalThis.install');
      await page.evaluate('install()');
      await page.reload();
      await page.waitForFunction('globalThis.isControlled?.()');
      const before = emulator.requests.length;
      await page.evaluate('show()');
      await waitUntil(() => polls() === 1);
      await page.evaluate('hide()');
      // The service would hold it for 40 s.
      await waitUntil(() => polls() === 0);
      const held = emulator.requests.slice(before).filter(({ url }) => url.includes('watch_index'));
      // The same index: the worker would wait for the poll before.
      await page.evaluate('show()');
      await waitUntil(() => polls() === 1);
      strictEqual(emulator.requests.at(-1)?.url, held.at(-1)?.url);
      strictEqual(await page.evaluate('ask()'), '1 members');
      await page.reload();
      await waitUntil(() => polls() === 0);
      const urlsSent = emulator.requests.slice(before).map(({ url }) => url);
      const isQuery = place === 'another origin';
      ok(urlsSent.every(url => url.includes('ngsw-bypass') === isQuery));
      await context.setOffline(true);
      await page.waitForFunction('globalThis.ask');
      strictEqual(await page.evaluate('ask()'), 'TransportError lost');
      await context.close();
    });
  }
});
