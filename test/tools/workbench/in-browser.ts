import { deepStrictEqual, match, ok } from 'node:assert';
import { waitUntil } from '../../wait-until.js';
import { BUILD_MS, startWorkbench, type StartedWorkbench } from './start-workbench.js';

/** A tab of a browser that Playwright does not start. */
export interface BrowserTab {
  /** The value of an expression. */
  readonly evaluate: (expression: string) => Promise<unknown>;
  /** Presses keys and points at things, as a user does: actions of WebDriver. */
  readonly act: (actions: readonly object[]) => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

interface Browser {
  /** Opens a page in a tab that is seen. */
  readonly open: (url: string) => Promise<BrowserTab>;
  readonly close: () => Promise<void>;
}

/** The code of the control key for WebDriver. */
const CONTROL = '\uE009';

/** A page, as its user sees it. */
class PageOfWorkbench {
  readonly #tab: BrowserTab;

  constructor(tab: BrowserTab) {
    this.#tab = tab;
  }

  async has(text: string): Promise<boolean> {
    const expression = `document.body.innerText.includes(${JSON.stringify(text)})`;
    return (await this.#tab.evaluate(expression)) === true;
  }

  waitFor(text: string): Promise<void> {
    return waitUntil(() => this.has(text));
  }

  textOf(expression: string): Promise<string> {
    return this.#tab.evaluate(`String(${expression})`) as Promise<string>;
  }

  /** Points at an element and presses the mouse: what only a user may do, the page may do then. */
  async click(element: string): Promise<void> {
    const place = await this.textOf(`(() => {
      const element = ${element};
      element.scrollIntoView({ block: 'center' });
      const { x, y, width, height } = element.getBoundingClientRect();
      return JSON.stringify([Math.round(x + width / 2), Math.round(y + height / 2)]);
    })()`);
    const [x, y] = JSON.parse(place) as [number, number];
    const actions = [
      { type: 'pointerMove', x, y },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await this.#tab.act([{ type: 'pointer', id: 'mouse', actions }]);
  }

  press(name: string): Promise<void> {
    return this.click(buttonNamed(name));
  }

  async keys(...values: readonly string[]): Promise<void> {
    const down = values.map(value => ({ type: 'keyDown', value }));
    const up = [...values].reverse().map(value => ({ type: 'keyUp', value }));
    await this.#tab.act([{ type: 'key', id: 'keys', actions: [...down, ...up] }]);
  }
}

const buttonNamed = (name: string) =>
  `[...document.querySelectorAll('button')].find(button => button.innerText.trim() === ${JSON.stringify(name)})`;

/** The page does what it promises in a browser that is not Chromium. */
export function describeWorkbench(name: string, start: () => Promise<Browser>): void {
  describe(`the workbench in ${name}`, function () {
    this.timeout(90_000);
    let workbench: StartedWorkbench;
    let browser: Browser;
    let page: PageOfWorkbench;
    before(async function () {
      this.timeout(BUILD_MS);
      workbench = await startWorkbench();
      browser = await start();
      page = new PageOfWorkbench(await browser.open(workbench.world.workbenchUrl!));
      await page.waitFor('● connected');
      await page.textOf("addEventListener('error', ({ message }) => (globalThis.failed ??= message))");
    });
    afterEach(async () => deepStrictEqual(await page.textOf('globalThis.failed'), 'undefined'));
    after(async () => {
      await browser.close();
      workbench.stop();
    });

    it('keeps its secret out of the address', async () => {
      const address = await page.textOf('location.href');
      match(address, /\/_emulator\/workbench$/);
      ok(!address.includes(workbench.world.controlSecret!));
    });

    it('copies a token that it does not show', async () => {
      const { identityToken } = workbench.world;
      ok(!(await page.textOf('document.documentElement.outerHTML')).includes(identityToken!));
      await page.press('Copy the token');
      await page.waitFor('Copy the token: copied');
      // Pasted as a user does: no page may read the clipboard by itself.
      await page.click("document.querySelector('[type=search][aria-label=Filter]')");
      await page.keys(CONTROL, 'v');
      const pasted = "document.querySelector('[type=search][aria-label=Filter]').value";
      await waitUntil(async () => (await page.textOf(pasted)) !== '');
      deepStrictEqual(await page.textOf(pasted), identityToken);
      await page.keys(CONTROL, 'a');
      await page.keys('\uE017');
      await waitUntil(async () => (await page.textOf(pasted)) === '');
    });

    it('has a demo player, and tells that a message was delivered', async () => {
      await page.press('Start the demo player');
      await page.waitFor('Demo player: live');
      await page.waitFor('live, waits');
      await page.press('Do it');
      await page.waitFor('got chat message');
      await page.waitFor('delivered after');
      await page.waitFor('it has it');
    });

    it('tells that a 502 is over, and that nothing is lost', async () => {
      const deed = "document.querySelector('select[aria-label=Do]')";
      await page.textOf(`(() => {
        ${deed}.value = [...${deed}.options].find(({ text }) => text === 'Proxy answers 502').value;
        ${deed}.dispatchEvent(new Event('change', { bubbles: true }));
      })()`);
      await page.press('Do it');
      await page.waitFor('You: Proxy answers 502');
      await page.waitFor('over: back after');
      ok(await page.has('nothing lost'));
      await page.press('Connect a game');
      await page.press('Stop the demo player');
    });

    it('is walked through by j and k', async () => {
      const focused = () =>
        page.textOf("[...document.querySelectorAll('.stories .what')].indexOf(document.activeElement)");
      await page.click("document.querySelector('h1')");
      for (const [key, place] of [
        ['j', '0'],
        ['j', '1'],
        ['k', '0'],
      ] as const) {
        await page.keys(key);
        await waitUntil(async () => (await focused()) === place);
      }
    });
  });
}
