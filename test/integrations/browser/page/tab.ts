import type { CDPSession } from 'playwright-core';
import type { Followed } from './follower.js';

/**
 * A tab of the browser's own window. Not a page of Playwright's: of these each takes itself for the
 * visible one, and none is ever hidden or frozen.
 */
export class Tab {
  readonly #browser: CDPSession;
  readonly #targetId: string;
  readonly #sessionId: string;
  readonly #answers = new Map<number, (answer: Answer) => void>();
  #commands = 0;

  static async open(browser: CDPSession, url: string): Promise<Tab> {
    const { targetId } = await browser.send('Target.createTarget', { url });
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId });
    return new Tab(browser, targetId, sessionId);
  }

  private constructor(browser: CDPSession, targetId: string, sessionId: string) {
    this.#browser = browser;
    this.#targetId = targetId;
    this.#sessionId = sessionId;
    browser.on('Target.receivedMessageFromTarget', ({ sessionId, message }) => {
      const answer = JSON.parse(message) as Answer;
      if (sessionId === this.#sessionId && answer.id) this.#answers.get(answer.id)?.(answer);
    });
  }

  /** Sends a command of the DevTools protocol. */
  send(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#commands;
    const message = JSON.stringify({ id, method, params });
    const answered = new Promise<Answer>(resolve => this.#answers.set(id, resolve));
    void this.#browser.send('Target.sendMessageToTarget', { sessionId: this.#sessionId, message });
    return answered.then(({ result, error }) => {
      this.#answers.delete(id);
      if (error) throw new Error(`${method}: ${error.message}`);
      return result;
    });
  }

  /** The value of an expression, which may be a promise. */
  async evaluate<T>(expression: string): Promise<T> {
    const params = { expression, returnByValue: true, awaitPromise: true };
    const { result } = (await this.send('Runtime.evaluate', params)) as { result: { value: T } };
    return result.value;
  }

  /** What has come so far; undefined before the page is loaded. */
  followed(): Promise<Omit<Followed, 'ping'> | undefined> {
    return this.evaluate('globalThis.followed && JSON.parse(JSON.stringify(followed))');
  }

  navigate(url: string): Promise<unknown> {
    return this.send('Page.navigate', { url });
  }

  back(): Promise<unknown> {
    return this.evaluate('history.back()');
  }

  /** Shows this tab, and hides all others. */
  show(): Promise<unknown> {
    return this.#browser.send('Target.activateTarget', { targetId: this.#targetId });
  }

  setLife(state: 'frozen' | 'active'): Promise<unknown> {
    return this.send('Page.setWebLifecycleState', { state });
  }

  async setOffline(offline: boolean): Promise<void> {
    await this.send('Network.enable');
    const unlimited = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await this.send('Network.emulateNetworkConditions', { offline, ...unlimited });
  }

  /** Does not answer. */
  crash(): void {
    void this.send('Page.crash');
  }

  close(): Promise<unknown> {
    return this.#browser.send('Target.closeTarget', { targetId: this.#targetId });
  }
}

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}
