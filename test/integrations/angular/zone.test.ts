import { deepStrictEqual } from 'node:assert';
import { join } from 'node:path';
import { spawnTs } from '../../spawn-ts.js';

describe('the handlers of a feed with zone.js', () => {
  it('are called for a whole batch before the application looks for changes, once', async () => {
    const { code, out, err } = await spawnTs(join(import.meta.dirname, 'zone-program.ts'), []).exited;
    deepStrictEqual([code, JSON.parse(out), err], [0, { handled: 200, checks: 1 }, '']);
  });
});
