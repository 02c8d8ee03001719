import { deepStrictEqual, ok } from 'node:assert';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

/** The maximum number of files that someone has to read to know what happens to an event. */
const MOST_FILES = 26;

describe('one event', () => {
  let files: readonly string[];
  before(async () => {
    // Not bundled, since V8 has to tell the files apart. If it does not end by itself, it is
    // killed.
    const program = join(import.meta.dirname, 'one-event-program.ts');
    const { stdout } = await run(process.execPath, ['--import', 'tsx', program], {
      cwd: ROOT,
      timeout: 30_000,
      // It resets V8's counters, so that `npm run coverage` would read wrong ones.
      env: { ...process.env, NODE_V8_COVERAGE: '' },
    });
    files = JSON.parse(stdout) as string[];
  });

  it(`enters at most ${MOST_FILES} files on its way from the socket to a subscriber`, () => {
    ok(files.includes('stream/transition/transition.ts'), files.join('\n'));
    ok(files.length <= MOST_FILES, `${files.length} files:\n${files.join('\n')}`);
  });

  it('enters the files that docs/design.md lists', () => {
    const page = readFileSync(join(ROOT, 'docs/design.md'), 'utf8');
    const walk = /^## One event\n(.*?)^## /ms.exec(page)?.[1] ?? '';
    const listed = [...walk.matchAll(/^\d+\. `([^`]+)`/gm)].map(match => match[1]!);
    deepStrictEqual([...listed].sort(), files);
  });
});
