import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** One use of the packed package, as its users have it. */
export interface Consumer {
  readonly name: string;
  readonly version: string;
  /** What it proves. */
  readonly proves: string;
  /** A command of the shell, in the folder of its workshop. */
  readonly run: string;
  /** A line that the command has to print; undefined if its exit code says it all. */
  readonly prints?: string;
}

/** A folder in which the packed package is installed, and its consumers, one after the other. */
export interface Workshop {
  /** What is installed beside lobby-rx and rxjs: `name@version`. */
  readonly packages: readonly string[];
  /** The command that installs, if it is not npm's. */
  readonly install?: string;
  /** Files and folders beside this one that are copied into it. */
  readonly copies?: readonly string[];
  /** Files that are written into it. */
  readonly files?: Readonly<Record<string, string>>;
  readonly consumers: readonly Consumer[];
}

/** How a consumer fared. */
export interface Row extends Consumer {
  readonly seconds: number;
  /** The command that failed and what it printed; undefined if all is well. */
  readonly failure?: string | undefined;
}

const NPM = 'npm install --prefer-offline --no-audit --no-fund --ignore-scripts --loglevel=error';
/** What takes this long hangs, also on a machine with other work. */
const LIMIT_MS = 600_000;

/** Sets a workshop up in a temporary folder, and lets each of its consumers work. */
export async function open(workshop: Workshop, tarball: string, onRow: (row: Row) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lobby-rx-consumer-'));
  try {
    const started = performance.now();
    for (const name of workshop.copies ?? []) {
      await cp(join(import.meta.dirname, name), folder, { recursive: true });
    }
    const dependencies = Object.fromEntries(
      ['rxjs@7.8.2', ...workshop.packages].map(spec => {
        const at = spec.indexOf('@', 1);
        return [spec.slice(0, at), spec.slice(at + 1)];
      }),
    );
    await cp(tarball, join(folder, 'lobby-rx.tgz'));
    const own = {
      private: true,
      type: 'module',
      dependencies: { 'lobby-rx': `file:./lobby-rx.tgz`, ...dependencies },
    };
    for (const [name, text] of Object.entries({ 'package.json': JSON.stringify(own), ...workshop.files })) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    let failure = await failureOf(workshop.install ?? NPM, folder);
    let from = started;
    for (const consumer of workshop.consumers) {
      const failed = failure ?? (await failureOf(consumer.run, folder, consumer.prints));
      onRow({ ...consumer, seconds: (performance.now() - from) / 1000, failure: failed });
      from = performance.now();
      // Without an installation nobody can work, and the first one has said why.
      if (failure !== undefined) failure = 'see above: nothing was installed';
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Runs a command; says what went wrong, if anything did. */
function failureOf(command: string, folder: string, prints?: string): Promise<string | undefined> {
  const env = {
    ...process.env,
    PATH: `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`,
    CI: 'true',
  };
  // What this process was started with must not reach the consumers.
  delete (env as NodeJS.ProcessEnv).NODE_OPTIONS;
  return new Promise(resolve => {
    const options = { cwd: folder, env, timeout: LIMIT_MS, maxBuffer: 2 ** 26 };
    execFile('bash', ['-c', command], options, (error, stdout, stderr) => {
      const shown = `${stdout}${stderr}`.trim();
      const printed = prints === undefined || stdout.split('\n').some(line => line.trim() === prints);
      if (!error && printed) return resolve(undefined);
      const wanted = printed ? '' : `\nwhich has no line: ${prints}`;
      resolve(`$ ${command}\n${shown.slice(-4_000)}${wanted}`);
    });
  });
}
