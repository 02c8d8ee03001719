import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { recipe } from '../../consumers/recipe.js';

const ROOT = join(import.meta.dirname, '../../..');
/** As the page says to start it. */
const [, COMMAND] = /npx lobby-rx (.+)/.exec(recipe('docs/workbench.md', 'emulate --ui'))!;

/** How long the build may take on a machine that is busy, in ms. */
export const BUILD_MS = 300_000;

/** A workbench of the built package. */
export interface StartedWorkbench {
  /** What `emulate --ui --json` prints. */
  readonly world: Readonly<Record<string, string>>;
  /** Where the package is. */
  readonly dist: string;
  readonly stop: () => void;
}

/** Builds the package and starts `lobby-rx emulate --ui`. */
export async function startWorkbench(): Promise<StartedWorkbench> {
  // In the project, whose packages it needs.
  const dist = join(ROOT, 'node_modules/.cache/lobby-rx/workbench', String(process.pid));
  execFileSync('npx', ['tsx', 'test/build.ts', dist], { cwd: ROOT });
  const program = join(dist, 'node/lobby-rx.js');
  const emulator = spawn(
    process.execPath,
    [program, ...COMMAND!.split(' '), '--json', '--seed', '7', '--exit-with-stdin'],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const [line] = (await once(createInterface({ input: emulator.stdout }), 'line')) as [string];
  return {
    world: JSON.parse(line) as Record<string, string>,
    dist,
    stop: () => {
      emulator.stdin.end();
      rmSync(dist, { recursive: true, force: true });
    },
  };
}
