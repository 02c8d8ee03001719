import { deepStrictEqual, strictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CODE_OF_REASON, COMES_BACK, meaningOfClose, type GateReason } from '../../src/player/index.js';
import { rowsIn } from '../law/design-page.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/gate.md'), 'utf8');
const [, section] = page.split('\n## Refusals and close codes\n');
const [codes] = section!.split('\n## ', 1);

/** A row of the page: codes, reasons, and what the player's side does. */
const documented = rowsIn(codes!.slice(codes!.indexOf('| close code'), codes!.indexOf('The gate checks')));

const reasons = Object.keys(CODE_OF_REASON) as GateReason[];
const comesBack = (code: number, reason: string) => meaningOfClose(code, reason).comesBack;

describe('The close codes in docs/gate.md', () => {
  it('are those of both sides, with their reasons and what means to come back', () => {
    const rows = documented.flatMap(([codes, reasons, meaning]) =>
      codes!.split(', ').flatMap(code => {
        const said = reasons!.match(/\w+/g) ?? [''];
        return said.map(reason => [Number(code), reason, meaning]);
      }),
    );
    const dropped = Object.keys(COMES_BACK)
      .map(Number)
      .filter(code => comesBack(code, '') === 'dropped' && code !== CODE_OF_REASON.back_soon);
    const expected = [
      ...reasons.map(reason => [CODE_OF_REASON[reason], reason, comesBack(CODE_OF_REASON[reason], reason)]),
      ...dropped.map(code => [code, '', 'dropped']),
    ];
    deepStrictEqual(rows.map(String).sort(), expected.map(String).sort());
  });
});

describe('the meaning of a close code', () => {
  it('is that of its code, with the reason that was said', () => {
    for (const reason of reasons.filter(reason => reason !== 'back_soon')) {
      const meaning = meaningOfClose(CODE_OF_REASON[reason], reason);
      deepStrictEqual([meaning.reason, meaning.retryAfter], [reason, undefined]);
    }
    deepStrictEqual(meaningOfClose(4010, 'replaced').reason, 'kicked');
    deepStrictEqual(meaningOfClose(1001, 'going away').comesBack, 'dropped');
    deepStrictEqual(meaningOfClose(1009, 'message is too big').reason, 'too_large');
  });

  it('has the wait that the gate asks for, unless it is no number', () => {
    deepStrictEqual(meaningOfClose(4424, 'rate_limited; retry-after=90'), {
      reason: 'rate_limited',
      comesBack: 'later',
      retryAfter: 90_000,
    });
    strictEqual(meaningOfClose(4424, 'rate_limited; retry-after=soon').retryAfter, undefined);
  });
});
