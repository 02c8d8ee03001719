import { deepStrictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REFUSALS } from '../../../src/integrations/lobby-server/refusal.js';

const source = readFileSync(
  join(import.meta.dirname, '../../../src/integrations/lobby-server/lobby-gate.ts'),
  'utf8',
);
/** The rows of the table that lobbyGate is documented with. */
const rows = [...source.matchAll(/^ \* \| (\S+) +\| (\S+) +\| (.*) \|$/gm)].map(([, status, code, text]) => ({
  ...{ status, code, text: text! },
}));

describe('The refusals of a gate', () => {
  it('are those of the table in the documentation of lobbyGate, with their status or close code', () => {
    const missing = Object.entries(REFUSALS).filter(([, { status, code, reason }]) => {
      const named = rows.filter(({ text }) => text.includes(`\`${reason}\``));
      return !named.some(row => row.status === `${status}` || row.code === `${code}`);
    });
    deepStrictEqual(missing, []);
  });
});
