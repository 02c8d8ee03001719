import { deepStrictEqual } from 'node:assert';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { chromium, type Browser } from 'playwright-core';
import { createEmulator, listen, seedWorld } from 'lobby-rx/emulator';
import { waitUntil } from '../wait-until.js';
import { DOCS } from './site.js';

const ROOT = join(import.meta.dirname, '../..');

/** What this test needs of Vite. */
interface Vite {
  readonly createServer: (config: object) => Promise<{
    readonly listen: () => Promise<unknown>;
    readonly close: () => Promise<void>;
    readonly watcher: { readonly emit: (event: 'change', file: string) => void };
    readonly resolvedUrls: { readonly local: readonly string[] };
  }>;
}

/** The one of the site's packages that serves modules while they are edited. */
const loadVite = () => {
  const ofSite = createRequire(createRequire(join(DOCS, 'package.json')).resolve('vitepress'));
  const vite = join(dirname(ofSite.resolve('vite/package.json')), 'dist/node/index.js');
  return import(pathToFileURL(vite).href) as Promise<Vite>;
};

/** The recipe of the page about development, with an address and a token. */
function recipe(url: string, token: string): string {
  const page = readFileSync(join(DOCS, 'in-development.md'), 'utf8');
  const [, code] = /^## Hot reload[^]*?^```ts\n([^]*?)^```/m.exec(page)!;
  return code!
    .replace("'https://api.example.com'", JSON.stringify(url))
    .replace(/token: .*,/, `token: ${JSON.stringify(token)},`);
}

/** A part of the page that accepts changes of what it imports, as components do. */
const PART = `import { client } from './client.ts';
client.events.feed.all$.subscribe();
document.body.dataset.ready = String(Number(document.body.dataset.ready ?? 0) + 1);
import.meta.hot.accept();
`;

describe('The recipe for hot reload (npm run docs:build installs Vite)', function () {
  this.timeout(30_000);
  let browser: Browser;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hot-reload-'));
    await build({
      entryPoints: [join(ROOT, 'src/index.ts')],
      outfile: join(folder, 'library.js'),
      bundle: true,
      format: 'esm',
      platform: 'browser',
      logLevel: 'warning',
      alias: { '#fetch': join(ROOT, 'src/transport/platform-fetch.ts') },
    });
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  });
  after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  it('leaves one poll open, however often its file is saved', async () => {
    const emulator = createEmulator();
    const world = seedWorld(emulator, { members: 3 });
    const service = await listen(emulator);
    const client = recipe(service.url, world.identityToken);
    writeFileSync(join(folder, 'client.ts'), client);
    writeFileSync(join(folder, 'part.js'), PART);
    const script = '<script type="module" src="/part.js"></script>';
    writeFileSync(join(folder, 'index.html'), `<!doctype html><title>Page</title><body>${script}</body>`);
    const { createServer } = await loadVite();
    const server = await createServer({
      root: folder,
      configFile: false,
      logLevel: 'silent',
      cacheDir: join(folder, '.vite'),
      server: { host: '127.0.0.1', port: 0, fs: { allow: [DOCS, folder] }, watch: null },
      optimizeDeps: { noDiscovery: true },
      resolve: { alias: { 'lobby-rx': join(folder, 'library.js') } },
    });
    try {
      await server.listen();
      const page = await browser.newPage();
      await page.goto(server.resolvedUrls.local[0]!);
      const open = () => emulator.requests.filter(({ pending }) => pending).length;
      const isHeld = (from: number) =>
        emulator.requests.slice(from).some(({ pending, url }) => pending && url.includes('watch_index'));
      for (let saves = 0; saves <= 3; saves++) {
        const before = emulator.requests.length;
        if (saves > 0) {
          writeFileSync(join(folder, 'client.ts'), `${client}// save ${saves}\n`);
          // On a busy machine, what watches files may miss a save.
          server.watcher.emit('change', join(folder, 'client.ts'));
        }
        // The new client polls; the one before it does not.
        await waitUntil(() => isHeld(before));
        await waitUntil(() => open() === 1);
      }
      deepStrictEqual(await page.locator('body').getAttribute('data-ready'), '4');
    } finally {
      await server.close();
      await service.close();
    }
  });
});
