import { deepStrictEqual, match, ok } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
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

  it('are small enough to install everywhere: less than 405, 525 kB in all', async () => {
    const { tarball, files } = await packed();
    ok(files.length < 405, `${files.length} files`);
    const { size } = statSync(tarball);
    ok(size <= 525_000, `${size} bytes`);
  });

  it('can be read in a debugger, and in a stack: there are no maps, and no program is minified', async () => {
    const { files } = await packed();
    const programs = files.filter(path => path.startsWith('dist/') && path.endsWith('.js'));
    ok(programs.length > 50);
    const minified = programs.filter(path => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      return text.length > 5_000 && text.length / text.split('\n').length > 90;
    });
    deepStrictEqual(minified, []);
    const program = "import { createClient } from 'lobby-rx'; createClient({ url: 1 });";
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    match(stderr, /at createClient .*dist\/node\/.*\.js:\d+/);
  });
});
