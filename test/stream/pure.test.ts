import { strictEqual, ok } from 'node:assert';
import { assert as check, array, bigInt, integer, jsonValue, property, tuple, boolean } from 'fast-check';
import { isBefore } from '../../src/stream/is-before.js';
import { pace } from '../../src/stream/pace.js';
import { sameJson } from '../../src/stream/same-json.js';

describe('isBefore', () => {
  it('orders decimal indexes of any length as the numbers they are, without making numbers of them', () => {
    const index = bigInt({ min: 0n, max: 10n ** 40n });
    check(
      property(index, index, (a, b) => {
        strictEqual(isBefore(String(a), `00${b}`), a < b);
      }),
    );
  });

  it('says nothing of what is not decimal', () => {
    for (const [a, b] of [
      ['a', 'b'],
      ['1', 'b'],
      ['-2', '1'],
      ['', '1'],
      ['1.5', '2'],
    ] as const) {
      strictEqual(isBefore(a, b), false);
    }
  });
});

describe('pace', () => {
  const law = { minInterval: 1_000, burst: 3 };

  it('lets no more than burst and one for each interval through, whenever they come', () => {
    check(
      property(array(integer({ min: 0, max: 1_500 }), { minLength: 1, maxLength: 200 }), lags => {
        let now = 0;
        let busyUntil = 0;
        const sent: number[] = [];
        for (const lag of lags) {
          const step = pace(busyUntil, now, law);
          busyUntil = step.busyUntil;
          sent.push((now += step.wait));
          now += lag;
        }
        for (const [i, start] of sent.entries()) {
          const within = sent.filter((at, j) => j >= i && at - start < 10_000).length;
          ok(within <= 13, `${within} in 10 s`);
        }
      }),
    );
  });

  it('never waits longer than an interval, even where the clock jumps', () => {
    check(
      property(array(tuple(integer({ min: 0, max: 2 ** 40 }), boolean())), jumps => {
        let busyUntil = 0;
        for (const [now] of jumps) {
          const step = pace(busyUntil, now, law);
          busyUntil = step.busyUntil;
          ok(step.wait >= 0 && step.wait <= law.minInterval);
        }
      }),
    );
  });
});

describe('sameJson', () => {
  it('is equality of what JSON says', () => {
    check(
      property(jsonValue(), value => {
        ok(sameJson(value, JSON.parse(JSON.stringify(value))));
        ok(!sameJson(value, [value]));
      }),
    );
  });

  it('tells objects by their keys and values, whatever the order, and arrays from objects', () => {
    ok(sameJson({ a: 1, b: [2] }, { b: [2], a: 1 }));
    ok(!sameJson({ a: 1 }, { a: 1, b: undefined }));
    ok(!sameJson({ a: undefined }, { b: undefined }));
    ok(!sameJson([], {}));
    ok(!sameJson([1], [1, 2]));
    ok(!sameJson(null, {}));
  });

  it('goes deeper than the call stack', () => {
    const deep = () => JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
    ok(sameJson(deep(), deep()));
  });
});
