import { deepStrictEqual, ok } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLOSE_CODES, meaningOfClose } from '../../src/player/index.js';
import { rowsIn } from '../law/design-page.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/gate.md'), 'utf8');
const [, section] = page.split('\n## Refusals and close codes\n');
const [codes] = section!.split('\n## ', 1);

/** A row of the page: codes, reasons, and what the player's side does. */
const documented = rowsIn(codes!.slice(codes!.indexOf('| close code'), codes!.indexOf('The gate checks')));

describe('The close codes in docs/gate.md', () => {
  it('are those of both sides, with their reasons and what means to come back', () => {
    deepStrictEqual(
      documented.map(([codes, reasons, comesBack]) => ({
        codes: codes!.split(', ').map(Number),
        reasons: reasons!.match(/\w+/g) ?? [],
        comesBack,
      })),
      CLOSE_CODES.map(({ codes, reasons, comesBack }) => ({
        codes: [...codes],
        reasons: [...reasons],
        comesBack,
      })),
    );
  });
});

describe('the meaning of a close code', () => {
  it('is that of its row, by code and reason together', () => {
    for (const { codes, reasons, comesBack } of CLOSE_CODES) {
      for (const code of codes) {
        for (const reason of reasons)
          deepStrictEqual(meaningOfClose(code, reason), { reason, comesBack, retryAfter: undefined });
      }
    }
    deepStrictEqual(meaningOfClose(4010, 'replaced').reason, 'kicked');
    deepStrictEqual(meaningOfClose(1001, 'going away').comesBack, 'dropped');
  });

  it('has the wait that the gate asks for, unless it is no number', () => {
    deepStrictEqual(meaningOfClose(4424, 'rate_limited; retry-after=90'), {
      reason: 'rate_limited',
      comesBack: 'later',
      retryAfter: 90_000,
    });
    ok(Number.isNaN(meaningOfClose(4424, 'rate_limited; retry-after=soon').retryAfter));
  });

  it('gives each reason one code, but for 1001', () => {
    const all = CLOSE_CODES.flatMap(({ reasons }) => reasons as readonly string[]);
    deepStrictEqual([...new Set(all)], all);
  });
});
