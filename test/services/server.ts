import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ok } from 'node:assert';

/**
 * A real clock, since the server is another process: this waits for what has to come, however busy
 * the machine is.
 */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 100_000;
  while (!(await isSo())) {
    ok(Date.now() < end, `never: ${what}`);
    await sleep(50);
  }
}

/** A server of a Debian package, in a folder of its own. */
export class Server {
  folder = '';
  #process: ChildProcess | undefined;

  constructor(
    readonly command: string,
    readonly args: (folder: string) => readonly string[],
    /** Answers once the server does. */
    readonly url: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  async prepare(prefix: string): Promise<string> {
    this.folder = await mkdtemp(join(tmpdir(), prefix));
    return this.folder;
  }

  async start(): Promise<void> {
    // Syncthing would start another process, which a kill leaves behind.
    const env = { ...process.env, STMONITORED: 'yes' };
    this.#process = spawn(this.command, this.args(this.folder), { stdio: ['pipe', 'ignore', 'ignore'], env });
    const isUp = () =>
      fetch(this.url, { headers: this.headers }).then(
        ({ status }) => status < 500,
        () => false,
      );
    await until(isUp, `${this.command} answers`);
  }

  /** Kills it at once. */
  async kill(): Promise<void> {
    const { exitCode, signalCode } = this.#process!;
    if (exitCode !== null || signalCode !== null) return;
    const gone = once(this.#process!, 'exit');
    this.#process!.kill('SIGKILL');
    await gone;
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
