import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../../free-port.js';
import { waitUntil } from '../../../wait-until.js';
import type { Followed } from '../page/follower.js';
import { signalTree } from '../signal-tree.js';

const DRIVER = 'WebKitWebDriver';

/** What WebKitGTK needs on a machine without a graphics card, in a container. */
const ENVIRONMENT = {
  WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
  WEBKIT_DISABLE_COMPOSITING_MODE: '1',
  LIBGL_ALWAYS_SOFTWARE: '1',
  NO_AT_BRIDGE: '1',
};

/** WebKitGTK, over WebDriver. It needs a display: `npm run test:webkit` has one of Xvfb. */
export class WebKit {
  readonly #process: ChildProcess;
  readonly #url: string;
  readonly #firstTab: string;
  /** A command is for the tab that was chosen before it, so that they go one after another. */
  #last: Promise<unknown> = Promise.resolve();

  /** Starts it, or ends the process with one line that says what is missing. */
  static async start(): Promise<WebKit> {
    if (spawnSync('which', [DRIVER]).status !== 0 || !process.env.DISPLAY) {
      console.error(`${DRIVER} or a display is missing: apt-get install webkit2gtk-driver xvfb xauth`);
      process.exit(2);
    }
    const port = await freePort();
    const child = spawn(DRIVER, [`--port=${port}`, '--host=127.0.0.1'], {
      stdio: 'ignore',
      env: { ...process.env, ...ENVIRONMENT },
    });
    const url = `http://127.0.0.1:${port}`;
    await waitUntil(() =>
      fetch(`${url}/status`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    const created = await command(url, 'POST', '/session', { capabilities: {} });
    const { sessionId, capabilities } = created as { sessionId: string; capabilities: Capabilities };
    console.log(`      ${capabilities.browserName} ${capabilities.browserVersion}`);
    const session = `${url}/session/${sessionId}`;
    return new WebKit(child, session, (await command(session, 'GET', '/window')) as string);
  }

  private constructor(child: ChildProcess, url: string, firstTab: string) {
    this.#process = child;
    this.#url = url;
    this.#firstTab = firstTab;
  }

  /** Opens a tab that is hidden behind the first one. */
  async openTab(url: string): Promise<WebKitTab> {
    const opened = await this.#alone(async () => {
      // The tab of the last command may be closed.
      await this.#send('POST', '/window', { handle: this.#firstTab });
      return this.#send('POST', '/window/new', { type: 'tab' });
    });
    return this.#tabAt((opened as { handle: string }).handle, url);
  }

  /** Uses the first tab, the only one that is seen: keys and the mouse wait for that. */
  useFirstTab(url: string): Promise<WebKitTab> {
    return this.#tabAt(this.#firstTab, url);
  }

  async #tabAt(handle: string, url: string): Promise<WebKitTab> {
    const inTab = (method: string, path: string, body?: object) =>
      this.#alone(async () => {
        await this.#send('POST', '/window', { handle });
        return this.#send(method, path, body);
      });
    const evaluate = (expression: string) =>
      inTab('POST', '/execute/sync', { script: `return ${expression}`, args: [] });
    await inTab('POST', '/url', { url });
    return {
      evaluate,
      followed: async () => {
        const followed = await evaluate('JSON.stringify(globalThis.followed ?? null)');
        return (JSON.parse(followed as string) as Followed | null) ?? undefined;
      },
      act: actions => inTab('POST', '/actions', { actions }),
      navigate: to => inTab('POST', '/url', { url: to }),
      back: () => inTab('POST', '/back', {}),
      close: () => inTab('DELETE', '/window'),
    };
  }

  /** Nothing runs in any tab until {@link thaw}. */
  freeze(): void {
    signalTree(this.#process.pid!, 'SIGSTOP');
  }

  thaw(): void {
    signalTree(this.#process.pid!, 'SIGCONT');
  }

  async close(): Promise<void> {
    await this.#send('DELETE', '').catch(() => undefined);
    this.#process.kill();
    if (this.#process.exitCode === null) await once(this.#process, 'exit');
  }

  #send(method: string, path: string, body?: object): Promise<unknown> {
    return command(this.#url, method, path, body);
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

interface Capabilities {
  readonly browserName: string;
  readonly browserVersion: string;
}

export interface WebKitTab {
  /** The value of an expression. */
  readonly evaluate: (expression: string) => Promise<unknown>;
  /** What has come so far; undefined before the page is loaded. */
  readonly followed: () => Promise<Omit<Followed, 'ping'> | undefined>;
  /** Keys and the mouse, as actions of WebDriver. */
  readonly act: (actions: readonly object[]) => Promise<unknown>;
  readonly navigate: (url: string) => Promise<unknown>;
  readonly back: () => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

async function command(url: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(url + path, body ? { method, body: JSON.stringify(body) } : { method });
  const { value } = (await response.json()) as { value: unknown };
  if (response.ok) return value;
  const { error, message } = value as { error: string; message: string };
  throw new Error(`${method} ${path}: ${error}: ${message}`);
}
