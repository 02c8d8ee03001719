import { deepStrictEqual } from 'node:assert';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { chromium, type Browser } from 'playwright-core';
import { createEmulator, listen } from 'lobby-rx/emulator';
import { waitUntil } from '../../wait-until.js';
import { Tab } from './tab.js';

/** Debian's, or what `CHROMIUM` says. */
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Starts a browser, or ends the process with one line that says what is missing. */
export async function startChromium(...args: string[]): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    console.error(`There is no ${CHROMIUM}. Install chromium, or set CHROMIUM to its path.`);
    process.exit(2);
  }
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', ...args],
    // Pages are to be kept in the back/forward cache, and hidden ones to be slow, as those of users are.
    ignoreDefaultArgs: [
      '--disable-back-forward-cache',
      '--disable-background-timer-throttling',
      '--disable-backgrounding-occluded-windows',
      '--disable-renderer-backgrounding',
    ],
  });
}

/** How the pages follow: with one watch for all tabs, with one while they are alive, or with a client as it is. */
export type Sharing = 'tabs' | 'alive' | 'alone';

/** An emulator over HTTP with one identity, and a site whose pages follow its events. */
export async function createStage(browser: Browser) {
  const emulator = createEmulator();
  const { identity_id, token } = emulator.addIdentity({ display_name: 'Ada' });
  let service = await listen(emulator);
  const { url, port } = service;
  const bundle = await build({
    ...{ entryPoints: [join(import.meta.dirname, 'follower.ts')], bundle: true, write: false },
    ...{ format: 'esm', platform: 'browser', logLevel: 'warning' },
    alias: { '#fetch': join(import.meta.dirname, '../../../src/transport/platform-fetch.ts') },
  });
  const script = bundle.outputFiles[0]!.text;
  const site = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(
      isScript ? script : '<!doctype html><title>Page</title><script type="module" src="/page.js"></script>',
    );
  });
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const devTools = await browser.newBrowserCDPSession();
  const tabs: Tab[] = [];
  const polls = () => emulator.requests.filter(request => request.pending).length;
  const pageUrl = (sharing: Sharing, page = '') =>
    `${origin}/${page}?${new URLSearchParams({ url, token, sharing }).toString()}`;

  return {
    emulator,
    polls,
    pageUrl,
    /** Opens tabs, the last of which is visible. */
    openTabs: async (sharing: Sharing, count: number): Promise<readonly Tab[]> => {
      const opened: Tab[] = [];
      for (let n = 0; n < count; n++) {
        const tab = await Tab.open(devTools, pageUrl(sharing));
        tabs.push(tab);
        opened.push(tab);
        await waitUntil(async () => (await tab.followed())?.states.at(-1) === 'live');
      }
      return opened;
    },
    publish: (name: string) => emulator.publish(identity_id, { [name]: 1 }),
    stopService: () => service.close(),
    restartService: async () => {
      service = await listen(emulator, { port });
    },
    close: async () => {
      for (const tab of tabs) await tab.close().catch(() => undefined);
      await devTools.detach();
      site.close();
      site.closeAllConnections();
      await service.close();
    },
  };
}
export type Stage = Awaited<ReturnType<typeof createStage>>;

/** Waits until these events, and no others, have come to all of these tabs, without a gap. */
export async function haveAll(tabs: readonly Tab[], events: readonly string[]): Promise<void> {
  for (const tab of tabs) {
    await waitUntil(async () => ((await tab.followed())?.events.length ?? 0) >= events.length);
    const followed = await tab.followed();
    deepStrictEqual([followed?.events, followed?.gaps], [events, []]);
  }
}
