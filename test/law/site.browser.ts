import { deepStrictEqual, match, ok } from 'node:assert';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { filesUnder } from '../files-under.js';
import { DOCS, serveSite, SITE } from './site.js';

interface Documented {
  readonly name: string;
  readonly children?: readonly Documented[];
  readonly signatures?: readonly Documented[];
  readonly comment?: { readonly blockTags?: readonly { readonly tag: string }[] };
  readonly kind: number;
}
/** TypeDoc's numbers of what an example can show. Types have theirs where they are used. */
const VARIABLE = 32;
const FUNCTION = 64;
const CLASS = 128;
const INTERFACE = 256;
const TYPE = 2_097_152;

/** A page of each kind. */
const PATHS = ['/', '/start.html', '/feed.html', '/fleet.html', '/api/lobby-rx/functions/createClient.html'];
/** In bytes, compressed. */
const MOST_SCRIPT = 150_000;

describe('The site of the documentation (npm run docs:build)', () => {
  before(() => {
    if (!existsSync(join(SITE, 'index.html'))) throw new Error('build it first: npm run docs:build');
  });

  it('links only to pages and anchors that exist', () => {
    const pages = new Map<
      string,
      { readonly anchors: ReadonlySet<string>; readonly links: readonly string[] }
    >();
    for (const file of filesUnder(SITE, '.html')) {
      const html = readFileSync(file, 'utf8');
      const all = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, found]) => found!);
      const anchors = new Set(all(/ id="([^"]+)"/g));
      pages.set(`/${relative(SITE, file)}`, { anchors, links: all(/<a [^>]*?href="([^"]+)"/g) });
    }
    ok(pages.size > 200, `${pages.size} pages`);
    let anchored = 0;
    const broken = [...pages].flatMap(([page, { links }]) =>
      links.filter(link => {
        if (/^[a-z]+:/.test(link)) return false;
        const { pathname, hash } = new URL(link, `page:${page}`);
        const target = pages.get(pathname.endsWith('/') ? `${pathname}index.html` : pathname);
        if (hash) anchored++;
        return !target || (hash !== '' && !target.anchors.has(decodeURIComponent(hash.slice(1))));
      }),
    );
    deepStrictEqual([...new Set(broken)], []);
    ok(anchored > 100, `${anchored} anchors`);
  });

  it('shows an example of each function, class and constant', () => {
    const { children = [] } = JSON.parse(readFileSync(join(DOCS, 'api/api.json'), 'utf8')) as Documented;
    const without = children.flatMap(({ name: entry, children: exports = [] }) => {
      const types = new Set(
        exports.filter(({ kind }) => kind === INTERFACE || kind === TYPE).map(({ name }) => name),
      );
      const hasExample = (name: string) =>
        exports.some(
          one =>
            one.name === name &&
            [one, ...(one.signatures ?? [])].some(({ comment }) =>
              comment?.blockTags?.some(({ tag }) => tag === '@example'),
            ),
        );
      return (
        exports
          .filter(({ kind }) => kind === VARIABLE || kind === FUNCTION || kind === CLASS)
          // A codec has the name of its type; an error is recognized by its guard.
          .filter(({ name, kind }) => !types.has(name) && !hasExample(kind === CLASS ? `is${name}` : name))
          .map(({ name }) => `${entry}: ${name}`)
      );
    });
    deepStrictEqual(without, []);
  });

  describe('in Chromium', () => {
    let site: Awaited<ReturnType<typeof serveSite>>;
    let url: string;
    let browser: Browser;
    let page: Page;
    let errors: string[];
    before(async () => {
      site = await serveSite();
      ({ url } = site);
      browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
    });
    beforeEach(async () => {
      page = await browser.newPage();
      errors = [];
      page.on('pageerror', error => errors.push(String(error)));
      page.on('response', response => {
        if (response.status() >= 400) errors.push(`${response.status()} ${response.url()}`);
      });
    });
    afterEach(async () => {
      await page.close();
      deepStrictEqual(errors, []);
    });
    after(async () => {
      await browser.close();
      site.close();
    });

    it('starts with the story, code, who it is for, code that runs, and cards', async () => {
      await page.goto(url);
      match(await page.locator('h1').innerText(), /^lobby-rx/);
      const picture = page.locator('main img').first();
      ok(await picture.evaluate(image => (image as unknown as { naturalWidth: number }).naturalWidth > 0));
      match(
        await page.locator('main').innerText(),
        /Is it for me\?[^]*v25\.5[^]*: yes[^]*: yes[^]*Unity or Unreal: no[^]*createClient[^]*Run[^]*Follow[^]*Admit[^]*Test/,
      );
    });

    it('has code to copy beside the picture in the first screen, and commands in tabs', async () => {
      await page.setViewportSize({ width: 1_280, height: 800 });
      await page.goto(url);
      const boxOf = async (selector: string) => (await page.locator(selector).first().boundingBox())!;
      const [code, picture] = [await boxOf('.hero .vp-code-group'), await boxOf('.hero img')];
      ok(picture.x >= code.x + code.width, 'the picture is beside the code');
      for (const { y, height } of [code, picture]) ok(y + height <= 800, `${y + height} px`);
      for (const [tab, command] of [
        ['Install', 'npm pack'],
        ['Emulator', 'npm ci && npm start'],
      ] as const) {
        await page.locator('.hero label', { hasText: tab }).click();
        await page.locator('.hero .blocks > .active', { hasText: command }).waitFor();
      }
    });

    it('remembers which tabs people choose, on each page', async () => {
      await page.goto(`${url}/state.html`);
      const shown = page.locator('.vp-code-group .blocks > .active');
      await shown.filter({ hasText: 'useSyncExternalStore' }).waitFor();
      await page.locator('label', { hasText: 'Svelte' }).click();
      await shown.filter({ hasText: 'createSubscriber' }).waitFor();
      await page.reload();
      await shown.filter({ hasText: 'createSubscriber' }).waitFor();
      // From another page, without a reload.
      await page.locator('.VPSidebar a', { hasText: 'In development' }).click();
      await page.waitForURL('**/in-development.html');
      await page.locator('main a', { hasText: 'useLive' }).click();
      await shown.filter({ hasText: 'createSubscriber' }).waitFor();
      await page.setViewportSize({ width: 390, height: 800 });
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      ok(height < 8_000, `${height} px on a phone`);
    });

    it('can be read by all: axe finds nothing, in both schemes', async () => {
      for (const path of PATHS) {
        await page.goto(`${url}${path}`);
        await page.evaluate(axe.source);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
          deepStrictEqual(
            violations.map(({ id, nodes }) => [path, colorScheme, id, nodes.map(({ html }) => html)]),
            [],
          );
        }
      }
    });

    it('is as wide as the window, and cuts off no code on a desk', async () => {
      const measure = `({
        sideways: document.documentElement.scrollWidth > innerWidth,
        cut: [...document.querySelectorAll('main :is(.language-ts, .language-js, .language-sh) pre')]
          .filter(code => code.scrollWidth > code.clientWidth).map(code => code.innerText),
      })`;
      for (const [width, cuts] of [
        [1_280, false],
        [390, true],
      ] as const) {
        await page.setViewportSize({ width, height: 800 });
        for (const path of PATHS) {
          await page.goto(`${url}${path}`);
          const { sideways, cut } = await page.evaluate<{ sideways: boolean; cut: readonly string[] }>(
            measure,
          );
          deepStrictEqual({ path, sideways, cut: cuts ? [] : cut }, { path, sideways: false, cut: [] });
        }
      }
    });

    it(`needs at most ${MOST_SCRIPT / 1_000} kB of script a page, until something runs`, () => {
      for (const path of PATHS) {
        const html = readFileSync(join(SITE, path === '/' ? 'index.html' : path), 'utf8');
        const scripts = new Set(
          [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, file]) => file!),
        );
        const sizes = [...scripts].map(file => gzipSync(readFileSync(join(SITE, file))).length);
        const total = sizes.reduce((sum, size) => sum + size, 0);
        ok(sizes.length > 2 && total <= MOST_SCRIPT, `${path}: ${total} bytes`);
      }
    });

    it('finds a word in the guides and in the API, and opens the page', async () => {
      await page.goto(`${url}/guide.html`);
      for (const [word, title, path] of [
        ['linger', 'polls', '/polling.html'],
        ['StrictMode', 'Strict Mode', '/in-development.html'],
        ['lobbyAddress', 'Function: lobbyAddress', '/api/lobby-rx/functions/lobbyAddress.html'],
      ] as const) {
        await page.locator('#local-search button').click();
        await page.locator('#localsearch-input').fill(word);
        await page.locator('#localsearch-list a', { hasText: title }).first().click();
        await page.waitForURL(`${url}${path}*`);
      }
    });

    /** What people type, and the page that answers it. */
    const WORDS = {
      matchmaking: 'the-service',
      unity: 'player',
      retry: 'faults',
      reconnect: 'faults',
      'error handling': 'errors',
      offline: 'browser',
      'how many connections': 'browser',
      'token refresh': 'tokens',
      'token expires': 'tokens',
      'mock server': 'testing',
      presence: 'rosters',
      'missed events': 'feed',
      'react hooks': 'state',
      useEffect: 'in-development',
      StrictMode: 'in-development',
      HMR: 'in-development',
      logout: 'in-development',
      'Next.js': 'in-development',
      websocket: 'lobby-server',
      'rate limit': 'polling',
      prometheus: 'metrics',
      kubernetes: 'fleet',
      cors: 'transport',
      install: 'start',
      nginx: 'proxies',
      'proxy timeout': 'proxies',
      checkpoint: 'losing-nothing',
      'cancel request': 'streams',
      'node version': 'where-it-runs',
      nestjs: 'recipes',
      'player left': 'lobby-server',
      'alternative to socket.io': 'start',
      vue: 'state',
      svelte: 'state',
      paging: 'rosters',
      'ban player': 'lobby-server',
      'graceful shutdown': 'lobby-server',
      SIGTERM: 'lobby-server',
      vitest: 'test-runners',
      'fake timers': 'test-runners',
      certificate: 'transport',
      benchmark: 'measured',
      'memory leak': 'measured',
      safari: 'where-it-runs',
      ios: 'where-it-runs',
      'io-ts': 'endpoints',
      'custom event': 'endpoints',
      401: 'tokens',
      502: 'faults',
      sharding: 'fleet',
      couchdb: 'services',
      backup: 'fleet-restore',
      'exactly once': 'losing-nothing',
      'two tabs': 'browser',
      backpressure: 'losing-nothing',
      'permission denied': 'errors',
      'slow network': 'transport',
      'react native': 'where-it-runs',
      'test without server': 'testing',
      'load balancer': 'proxies',
      createClient: 'api/lobby-rx/functions/createClient',
      rosterState: 'api/lobby-rx/views/functions/rosterState',
      lobbyGate: 'api/lobby-rx/lobby-server/functions/lobbyGate',
      injectRoster: 'api/lobby-rx/angular/functions/injectRoster',
      WatchStatus: 'api/lobby-rx/interfaces/WatchStatus',
      acrossTabs: 'api/lobby-rx/browser/functions/acrossTabs',
      runFleet: 'api/lobby-rx/fleet/functions/runFleet',
      createEmulator: 'api/lobby-rx/emulator/functions/createEmulator',
      isStatusError: 'api/lobby-rx/variables/isStatusError',
    } as const;

    it('finds first the page that answers what people type', async () => {
      await page.goto(`${url}/guide.html`);
      await page.locator('#local-search button').click();
      const first = page.locator('#localsearch-list a').first();
      const found: Record<string, string> = {};
      for (const words of Object.keys(WORDS)) {
        await page.locator('#localsearch-input').fill('');
        await first.waitFor({ state: 'detached' });
        await page.locator('#localsearch-input').fill(words);
        await first.filter({ hasText: /./ }).waitFor();
        found[words] = /^\/(.*)\.html/.exec((await first.getAttribute('href'))!)![1]!;
      }
      deepStrictEqual(found, WORDS);
    });

    it('shows the version, and when a page was changed', async () => {
      await page.goto(`${url}/feed.html`);
      const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
      await page.locator('.VPNavBarMenu', { hasText: version }).waitFor();
      await page.locator('.VPLastUpdated', { hasText: /\d{4}|\d\d?\/\d\d?\/\d\d/ }).waitFor();
    });

    it('lists its pages for language models, and each of them exists', async () => {
      const text = await (await page.request.get(`${url}/llms.txt`)).text();
      const links = [...text.matchAll(/\]\((\/.+?)\)/g)].map(([, link]) => link!);
      match(text, /^# lobby-rx\n\n> .+\n\n## Basics\n/);
      ok(links.length > 30, `${links.length} pages`);
      deepStrictEqual(
        links.filter(link => !existsSync(join(SITE, link))),
        [],
      );
    });

    it('has a search index of at most 70 kB', () => {
      const chunks = join(SITE, 'assets/chunks');
      const file = readdirSync(chunks).find(name => name.startsWith('@localSearchIndex'))!;
      const { length } = gzipSync(readFileSync(join(chunks, file)));
      ok(length <= 70_000, `${length} bytes`);
    });

    it('is dark if that is chosen', async () => {
      await page.goto(`${url}/feed.html`);
      const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      const light = await background();
      await page.locator('.VPSwitchAppearance').first().click();
      ok((await background()) !== light);
    });

    it('draws the diagrams, and shows code for each framework in a tab', async () => {
      for (const name of ['feed', 'lobby-server', 'fleet']) {
        await page.goto(`${url}/${name}.html`);
        await page.locator('.diagram svg').first().waitFor();
      }
      await page.goto(`${url}/recipes.html`);
      const group = page.locator('.vp-code-group').first();
      const shown = () => group.locator('.blocks > .active').innerText();
      const first = await shown();
      await group.locator('label').nth(1).click();
      ok((await shown()) !== first);
    });
  });
});
