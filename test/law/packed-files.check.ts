import { ok } from 'node:assert';
import { strictEqualToAccepted } from './accepted.js';
import { packed } from './packed.js';

describe('the files of the packed package', function () {
  this.timeout(120_000);

  it('are those that were accepted', async () => {
    const { files } = await packed();
    // The name of a chunk has the hash of its contents.
    const names = files.map(path => path.replace(/shared-\w+/, 'shared'));
    await strictEqualToAccepted(JSON.stringify(names), 'packed-files.json');
  });

  it('are less than three hundred, without sources and maps', async () => {
    const { files } = await packed();
    ok(files.length < 300, `${files.length} files`);
    ok(!files.some(path => path.endsWith('.map') || /(?<!\.d)\.ts$/.test(path)));
  });
});
