import { notStrictEqual, ok, strictEqual } from 'node:assert';
import { assert as check, jsonValue, property, string } from 'fast-check';
import { jsonEqual, jsonHash, textHash } from '../../src/protocol/json.js';

describe('jsonHash', () => {
  it('is the same for equal values, and differs for others', () => {
    check(
      property(jsonValue(), jsonValue(), (a, b) => {
        strictEqual(jsonHash(a), jsonHash(JSON.parse(JSON.stringify(a))));
        const [left, right] = [a, b].map(value => JSON.parse(JSON.stringify(value)) as unknown);
        strictEqual(jsonHash(left) === jsonHash(right), jsonEqual(left, right));
      }),
    );
  });

  it('tells values apart that look alike', () => {
    const alike = [
      1,
      '1',
      [1],
      { 0: 1 },
      ['1'],
      [[1]],
      null,
      'null',
      undefined,
      [],
      {},
      [[]],
      [{}],
      '',
      [''],
      true,
      'true',
    ];
    strictEqual(new Set(alike.map(value => jsonHash(value))).size, alike.length);
    notStrictEqual(jsonHash([1, 2]), jsonHash([2, 1]));
    notStrictEqual(jsonHash({ a: 1, b: 2 }), jsonHash({ a: 2, b: 1 }));
    notStrictEqual(jsonHash({ a: { b: 1 } }), jsonHash({ b: { a: 1 } }));
  });

  it('is one of 53 bits: a million values that differ little all have different ones', () => {
    const hashes = (hash: (n: number) => number) =>
      new Set(Array.from({ length: 300_000 }, (_, n) => hash(n))).size;
    // Keys, and texts that differ in every fourth character.
    strictEqual(
      hashes(n => jsonHash({ [`k${n}`]: 1 })),
      300_000,
    );
    strictEqual(
      hashes(n => textHash(`${n}`.padStart(6, '0').replace(/./g, '$&aaa'))),
      300_000,
    );
    const short = Array.from({ length: 95 ** 3 }, (_, n) =>
      textHash(
        String.fromCharCode(32 + (n % 95), 32 + (Math.floor(n / 95) % 95), 32 + Math.floor(n / 95 ** 2)),
      ),
    );
    strictEqual(new Set(short).size, 95 ** 3);
  });

  it('is the same for keys in any order', () => {
    strictEqual(jsonHash({ a: 1, b: [2, { c: 3, d: 4 }] }), jsonHash({ b: [2, { d: 4, c: 3 }], a: 1 }));
  });

  it('leaves out one key of the outermost object', () => {
    const value = (watch: unknown, inner: unknown) => ({ events: [{ watch: inner }], watch });
    strictEqual(jsonHash(value(1, 7), ['watch']), jsonHash(value({ index: '2' }, 7), ['watch']));
    notStrictEqual(jsonHash(value(1, 7), ['watch']), jsonHash(value(1, 8), ['watch']));
    strictEqual(jsonHash({ watch: 1 }, ['watch']), jsonHash({ watch: 2 }, ['watch']));
  });

  it('takes a Date by its time, and what else a codec made by its identity', () => {
    strictEqual(jsonHash({ at: new Date(5) }), jsonHash({ at: new Date(5) }));
    notStrictEqual(jsonHash({ at: new Date(5) }), jsonHash({ at: new Date(6) }));
    const map = new Map([[1, 2]]);
    strictEqual(jsonHash({ map }), jsonHash({ map }));
    notStrictEqual(jsonHash({ map }), jsonHash({ map: new Map([[1, 2]]) }));
  });

  it('handles values nested deeper than the call stack, and values linked to themselves', () => {
    const deep = () => JSON.parse(`${'['.repeat(100_000)}7${']'.repeat(100_000)}`) as unknown;
    strictEqual(jsonHash(deep()), jsonHash(deep()));
    const ring: { next?: object } = {};
    ring.next = ring;
    ok(Number.isSafeInteger(jsonHash(ring)));
  });
});

describe('textHash', () => {
  it('differs for texts that differ anywhere, also in length', () => {
    check(property(string(), string(), (a, b) => strictEqual(textHash(a) === textHash(b), a === b)));
    // Of 53 bits: of a thousand texts, some have the highest one, and some the lowest one.
    const hashes = Array.from({ length: 1_000 }, (_, i) => textHash(`text ${i}`));
    ok(hashes.every(hash => Number.isSafeInteger(hash)) && hashes.some(hash => hash >= 2 ** 52));
    ok(hashes.some(hash => hash % 2 === 1));
    const text = JSON.stringify({ ts: '2026-01-01T00:00:00.000Z', name: 'Ada', list: [1, 2, 3] });
    const changed = Array.from(text, (_, i) => [
      `${text.slice(0, i)}~${text.slice(i + 1)}`,
      `${text.slice(0, i)}${text.slice(i + 1)}`,
      `${text.slice(0, i)}${text[i + 1] ?? ''}${text[i]}${text.slice(i + 2)}`,
    ]).flat();
    strictEqual(new Set([text, ...changed].map(textHash)).size, new Set([text, ...changed]).size);
  });
});

describe('jsonEqual', () => {
  it('compares values by their JSON', () => {
    check(
      property(jsonValue(), value => {
        ok(jsonEqual(value, JSON.parse(JSON.stringify(value))));
        ok(!jsonEqual(value, [value]));
      }),
    );
  });

  it('compares objects by keys and values in any order, and distinguishes arrays from objects', () => {
    ok(jsonEqual({ a: 1, b: [2] }, { b: [2], a: 1 }));
    ok(!jsonEqual({ a: 1 }, { a: 1, b: undefined }));
    ok(!jsonEqual({ a: undefined }, { b: undefined }));
    ok(!jsonEqual([], {}));
    ok(!jsonEqual([1], [1, 2]));
    ok(!jsonEqual(null, {}));
  });

  it('does not look into what a codec made: a Date or a Map is equal only to itself', () => {
    const date = new Date(0);
    ok(jsonEqual({ date }, { date }));
    ok(!jsonEqual({ date }, { date: new Date(1) }));
    ok(!jsonEqual(new Map([[1, 2]]), new Map()));
    ok(jsonEqual(Object.create(null), {}));
  });

  it('ends even if a value is linked to itself', () => {
    const ring = () => {
      const node: { next?: object } = {};
      node.next = node;
      return node;
    };
    ok(jsonEqual(ring(), ring()));
  });

  it('handles values nested deeper than the call stack', () => {
    const deep = () => JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
    ok(jsonEqual(deep(), deep()));
  });
});
