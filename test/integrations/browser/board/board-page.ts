import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Board } from '../../../../examples/angular/board.js';

/** A player at the board, in a browser of their own, and what went wrong there. */
export class BoardPage {
  private constructor(
    readonly page: Page,
    readonly faults: readonly string[],
  ) {}

  /** Signs a player in. */
  static async signIn(
    browser: Browser,
    { links, url }: Board,
    name: 'Ada' | 'Grace',
    options: BrowserContextOptions = {},
  ): Promise<BoardPage> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const player = await BoardPage.#openIn(await context.newPage());
    await player.page.goto(links.find(link => link.name === name)!.url);
    await player.page.waitForURL(`${url}/`);
    await player.isLive();
    return player;
  }

  /** Another tab of the same browser. */
  async openTab(): Promise<BoardPage> {
    const tab = await BoardPage.#openIn(await this.page.context().newPage());
    await tab.page.goto(this.page.url());
    await tab.isLive();
    return tab;
  }

  static async #openIn(page: Page): Promise<BoardPage> {
    const faults: string[] = [];
    page.on('console', message => {
      if (['error', 'warning'].includes(message.type())) faults.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', error => faults.push(error.message));
    // What a player would see for a moment only.
    await page.addInitScript(() => {
      const flickers: string[] = [];
      Object.assign(globalThis, { flickers });
      new MutationObserver(() => {
        const note = document.querySelector('board-members .note');
        if (note) flickers.push(note.textContent);
      }).observe(document, { subtree: true, childList: true });
    });
    return new BoardPage(page, faults);
  }

  flickers(): Promise<readonly string[]> {
    return this.page.evaluate(() => (globalThis as unknown as { flickers: string[] }).flickers);
  }

  /** Waits until the status line begins with this text. */
  async says(text: string): Promise<string> {
    const pill = this.page.locator('board-status-line .pill', { hasText: new RegExp(`^${text}`) });
    await pill.waitFor();
    return (await pill.textContent()) ?? '';
  }

  /** Waits for a text in one of the columns, of which a phone shows one at a time. */
  async shows(part: 'Lobby' | 'Members' | 'Live', text: string): Promise<void> {
    const button = this.page.getByRole('button', { name: part, exact: true });
    if (await button.isVisible()) await button.click();
    await this.page.getByText(text).first().waitFor();
  }

  isLive(): Promise<string> {
    return this.says('Live');
  }

  /**
   * The contrast between the border of each field and its background. A reader needs 3 to see where
   * it is.
   */
  async fieldContrasts(): Promise<readonly number[]> {
    const colors = await this.page.locator('input').evaluateAll(fields =>
      fields.map(field => {
        const { borderTopColor, backgroundColor } = getComputedStyle(field);
        return [borderTopColor, backgroundColor] as const;
      }),
    );
    return colors.map(pair => {
      const [darker, lighter] = pair.map(luminanceOf).sort((one, other) => one - other);
      return (lighter! + 0.05) / (darker! + 0.05);
    });
  }

  async eventCount(): Promise<number> {
    return Number.parseInt((await this.page.getByTestId('event-count').textContent()) ?? '', 10);
  }

  /** How often the page has rendered, and how long it took to become stable, in ms. */
  async performance(): Promise<{ readonly renders: number; readonly stable: number }> {
    await this.page.waitForFunction(() => performance.getEntriesByName('stable').length > 0);
    return this.page.evaluate(() => ({
      renders: performance.getEntriesByName('render').length,
      stable: performance.getEntriesByName('stable')[0]!.duration,
    }));
  }

  async joinLobby(): Promise<void> {
    await this.shows('Lobby', 'Join a lobby');
    await this.page.getByRole('button', { name: 'Join a lobby' }).click();
    await this.page.getByRole('application').waitFor();
  }

  /**
   * What a checker of accessibility finds, once nothing moves: what still fades in has too little
   * contrast.
   */
  async violations(): Promise<readonly string[]> {
    await this.page.evaluate(axe.source);
    return this.page.evaluate(async () => {
      await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
      const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`);
    });
  }

  /** The heap in use after a collection of garbage, in bytes. */
  async heap(): Promise<number> {
    const devTools = await this.page.context().newCDPSession(this.page);
    await devTools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await devTools.send('Runtime.getHeapUsage');
    await devTools.detach();
    return usedSize;
  }
}

/** The relative luminance of a colour such as `rgb(1, 2, 3)`, as WCAG defines it. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(part => {
    const value = Number(part) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
