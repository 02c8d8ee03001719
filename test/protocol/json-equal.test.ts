import { ok } from 'node:assert';
import { assert as check, jsonValue, property } from 'fast-check';
import { jsonEqual } from '../../src/protocol/json.js';

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
