import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import type { Followed } from '../page/follower.js';
import { signalTree } from '../signal-tree.js';

/** Debian's, or what `FIREFOX` says. */
const FIREFOX = process.env.FIREFOX ?? '/usr/bin/firefox-esr';

/** Firefox, over WebDriver BiDi: Playwright needs a Firefox of its own. */
export class Firefox {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (answer: Answer) => void>();
  #commands = 0;

  /** Starts it, or ends the process with one line that says what is missing. */
  static async start(): Promise<Firefox> {
    if (!existsSync(FIREFOX)) {
      console.error(`There is no ${FIREFOX}. Install firefox-esr, or set FIREFOX to its path.`);
      process.exit(2);
    }
    const profile = mkdtempSync(join(tmpdir(), 'lobby-rx-firefox-'));
    const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
    const child = spawn(FIREFOX, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const url = await new Promise<string>((resolve, reject) => {
      let printed = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        const [found] = /ws:\/\/[\d.:]+/.exec(printed) ?? [];
        if (found) resolve(found);
      });
      child.once('exit', () => reject(new Error(`Firefox has ended: ${printed}`)));
    });
    const socket = new WebSocket(`${url}/session`);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const firefox = new Firefox(child, profile, socket);
    await firefox.send('session.new', { capabilities: {} });
    return firefox;
  }

  private constructor(child: ChildProcess, profile: string, socket: WebSocket) {
    this.#process = child;
    this.#profile = profile;
    this.#socket = socket;
    socket.on('message', (data: Buffer) => {
      const answer = JSON.parse(data.toString()) as Answer;
      if (answer.id) this.#answers.get(answer.id)?.(answer);
    });
  }

  async openTab(url: string): Promise<FirefoxTab> {
    const { context } = (await this.send('browsingContext.create', { type: 'tab' })) as { context: string };
    await this.send('browsingContext.navigate', { context, url, wait: 'complete' });
    const evaluate = async (expression: string) => {
      const params = { expression, target: { context }, awaitPromise: true };
      const { result } = (await this.send('script.evaluate', params)) as { result: { value: unknown } };
      return result.value;
    };
    return {
      evaluate,
      followed: async () => {
        const followed = await evaluate('JSON.stringify(globalThis.followed ?? null)');
        return (JSON.parse(followed as string) as Followed | null) ?? undefined;
      },
      act: actions => this.send('input.performActions', { context, actions }),
      show: () => this.send('browsingContext.activate', { context }),
      navigate: url => this.send('browsingContext.navigate', { context, url, wait: 'complete' }),
      back: () => this.send('browsingContext.traverseHistory', { context, delta: -1 }),
      close: () => this.send('browsingContext.close', { context }),
    };
  }

  async send(method: string, params: object): Promise<unknown> {
    const id = ++this.#commands;
    const answered = new Promise<Answer>(resolve => this.#answers.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { result, message } = await answered;
    this.#answers.delete(id);
    if (message !== undefined) throw new Error(`${method}: ${message}`);
    return result;
  }

  /** Nothing runs in any tab until {@link thaw}. */
  freeze(): void {
    signalTree(this.#process.pid!, 'SIGSTOP');
  }

  thaw(): void {
    signalTree(this.#process.pid!, 'SIGCONT');
  }

  async close(): Promise<void> {
    this.#socket.terminate();
    const ended = new Promise(resolve => this.#process.once('exit', resolve));
    this.#process.kill();
    await ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

export interface FirefoxTab {
  /** The value of an expression, which may be a promise. */
  readonly evaluate: (expression: string) => Promise<unknown>;
  /** What has come so far; undefined before the page is loaded. */
  readonly followed: () => Promise<Omit<Followed, 'ping'> | undefined>;
  /** Keys and the mouse, as actions of WebDriver. */
  readonly act: (actions: readonly object[]) => Promise<unknown>;
  readonly show: () => Promise<unknown>;
  readonly navigate: (url: string) => Promise<unknown>;
  readonly back: () => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly message?: string;
}
