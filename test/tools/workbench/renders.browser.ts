import { ok } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page, Route } from 'playwright-core';
import type { SeenRequest, WorldView } from '../../../src/tools/workbench/world-view.js';
import { startChromium } from '../../integrations/browser/page/stage.js';
import { waitUntil } from '../../wait-until.js';
import { answered, event, poll } from './page/outcome/seen.js';

const PAGE = join(import.meta.dirname, '../../../src/tools/workbench/page');
const URL = 'http://workbench.test/_emulator/workbench';
const CLIENTS = 50;
const EVENTS_PER_SECOND = 20;
/** The most elements that the page may make each time that it is drawn. */
const MOST_ELEMENTS = 1_500;

/** How many stories the list shows. */
const SHOWN = 200;

/** The page of the workbench, which counts the elements that its components make. */
async function countingPage(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { options } from 'preact';
        globalThis.made = { elements: 0, drawings: 0 };
        globalThis.drawn = [];
        options.vnode = vnode => {
          made.elements++;
          if (vnode.type?.name === 'Panes') made.drawings++;
          if (vnode.props.story) drawn.push(new WeakRef(vnode));
        };
        import('./main.tsx');`,
      resolveDir: PAGE,
    },
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    alias: { '#fetch': join(PAGE, '../../../transport/platform-fetch.ts') },
    define: { PROGRAM: '""' },
  });
  const script = outputFiles[0]!.text.replaceAll('</script', '<\\/script');
  return readFileSync(join(PAGE, 'workbench.html'), 'utf8').replace('</script>', () => `${script}</script>`);
}

/** Clients that get events in turns, each second for some of them. */
class BusyWorld {
  now = 1_700_000_000_000;
  readonly #open: SeenRequest[];
  #turn = 0;

  constructor() {
    this.#open = Array.from({ length: CLIENTS }, (_, i) => this.#pollOf(i));
  }

  first(): WorldView {
    return this.#view(this.#open);
  }

  /** What has changed a second later. */
  next(): WorldView {
    this.now += 1_000;
    const changed: SeenRequest[] = [];
    for (let n = 0; n < EVENTS_PER_SECOND; n++) {
      const i = this.#turn++ % CLIENTS;
      const news = answered(this.now, String(this.now), event(this.now, `“${this.#turn}.”`));
      const next = this.#pollOf(i);
      changed.push({ ...this.#open[i]!, ...news }, next);
      this.#open[i] = next;
    }
    return this.#view(changed);
  }

  #pollOf(i: number): SeenRequest {
    return poll(this.now, String(this.now), { who: `Player ${i}`, who_id: `p${i}` });
  }

  #view(requests: readonly SeenRequest[]): WorldView {
    return {
      now: this.now,
      reservation: 120_000,
      retention: 300_000,
      identities: [],
      groups: [],
      lobbies: [],
      fault_kinds: [],
      planned: [],
      actions: [],
      self: 'p0',
      commands: [],
      requests,
      watch: { index: String(this.now) },
    };
  }
}

describe('the workbench of a busy emulator, in Chromium', function () {
  this.timeout(120_000);
  let browser: Browser;
  let page: Page;
  before(async () => {
    browser = await startChromium();
    page = await browser.newPage();
  });
  after(() => browser.close());

  /** Opens the page, and lets seconds pass there. */
  async function open(world: BusyWorld) {
    const html = await countingPage();
    const polls: Route[] = [];
    await page.clock.install({ time: world.now });
    await page.route('**/*', route => {
      if (route.request().url().includes('/world')) polls.push(route);
      else void route.fulfill({ contentType: 'text/html', body: html });
    });
    await page.goto(`${URL}#a-secret`);
    /** Answers the page's poll, and lets it be a second later there. */
    const answer = async (view: WorldView) => {
      await waitUntil(() => polls.length > 0);
      await polls.pop()!.fulfill({ json: view });
      await page
        .getByText(view.requests.at(-2)!.events[0]?.text ?? 'Player 49')
        .first()
        .waitFor();
      await page.clock.runFor(1_000);
    };
    await answer(world.first());
    return async (seconds: number) => {
      for (let second = 0; second < seconds; second++) await answer(world.next());
    };
  }

  it(`makes at most ${MOST_ELEMENTS} elements each time that it is drawn`, async () => {
    const pass = await open(new BusyWorld());
    await pass(30);
    const madeUntilNow = () => page.evaluate<{ elements: number; drawings: number }>('made');
    const before = await madeUntilNow();
    await pass(5);
    const after = await madeUntilNow();
    const each = (after.elements - before.elements) / (after.drawings - before.drawings);
    ok(each <= MOST_ELEMENTS, `${each} elements`);
  });

  it('keeps what it has drawn last, and nothing of what it has drawn before', async () => {
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('HeapProfiler.collectGarbage');
    const [kept, all] = await page.evaluate<readonly [number, number]>(
      '[drawn.filter(one => one.deref()).length, drawn.length]',
    );
    ok(all > 10 * SHOWN, `${all} drawings of stories`);
    ok(kept <= 2 * SHOWN, `${kept} drawings of stories are kept`);
  });
});
