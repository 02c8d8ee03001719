import { deepStrictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REFUSALS } from '../../../../src/integrations/lobby-server/report/index.js';

/** The rows of the page that say who is refused. */
const rows = readFileSync(join(import.meta.dirname, '../../../../docs/gate.md'), 'utf8')
  .split('\n')
  .filter(line => line.startsWith('|'));

describe('The refusals of a gate', () => {
  it('are those of the table on the page of the gate, with their status or close code', () => {
    const missing = Object.entries(REFUSALS).filter(
      ([, { status, code, reason }]) =>
        !rows.some(row => row.includes(`${status} \`${reason}\``) || row.includes(`${code} \`${reason}\``)),
    );
    deepStrictEqual(missing, []);
  });
});
