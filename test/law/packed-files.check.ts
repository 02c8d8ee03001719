import { match, ok } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { strictEqualToAccepted } from './accepted.js';
import { packed } from './packed.js';

const ROOT = join(import.meta.dirname, '../..');

describe('the files of the packed package', function () {
  this.timeout(120_000);

  it('are those that were accepted', async () => {
    const { files } = await packed();
    // The name of a chunk has the hash of its contents.
    const names = files.map(path => path.replace(/shared-\w+/, 'shared'));
    await strictEqualToAccepted(JSON.stringify(names), 'packed-files.json');
  });

  it('are less than four hundred, with a map of each program to its sources, so that a debugger shows TypeScript', async () => {
    const { files } = await packed();
    ok(files.length < 400, `${files.length} files`);
    ok(!files.some(path => /(?<!\.d)\.ts$/.test(path)));
    const programs = files.filter(path => path.startsWith('dist/') && path.endsWith('.js'));
    ok(programs.length > 50);
    for (const path of programs) {
      // It is written at build: it has no source.
      if (path === 'dist/fp-ts/Either.js') continue;
      const map = JSON.parse(readFileSync(join(ROOT, `${path}.map`), 'utf8')) as SourceMap;
      ok(
        map.sources.every((source, i) => source.endsWith('.ts') && map.sourcesContent[i]),
        path,
      );
    }
  });

  it('show TypeScript in a stack', async () => {
    await packed();
    const program = "import { createClient } from 'lobby-rx'; createClient({ url: 1 });";
    const args = ['--enable-source-maps', '--input-type=module', '-e', program];
    const { stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
    match(stderr, /at .*src\/client\/client\.ts:\d+/);
  });
});

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent: readonly (string | null)[];
}
