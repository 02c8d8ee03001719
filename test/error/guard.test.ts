import { deepStrictEqual, strictEqual } from 'node:assert';
import { of, Subject } from 'rxjs';
import { observableInput, toInput } from '../../src/error/index.js';

describe('the return value of a callback', () => {
  const nothing = () => undefined;
  const awaited = {
    'an Observable': of(1),
    'a Subject': new Subject(),
    'an Observable of another library': { '@@observable': nothing },
    'a promise': Promise.resolve(),
    'a thenable': { then: nothing },
    'an array': [],
    'a set': new Set(),
    'an iterable': { [Symbol.iterator]: nothing },
    'an async iterable': { [Symbol.asyncIterator]: nothing },
  };
  for (const [name, given] of Object.entries(awaited)) {
    it(`is awaited if it is ${name}`, () => {
      strictEqual(toInput(given), given);
    });
  }

  it('is not awaited if it is anything else', () => {
    const timer = setTimeout(nothing);
    clearTimeout(timer);
    for (const given of [
      undefined,
      null,
      0,
      'text',
      true,
      {},
      nothing,
      timer,
      { subscribe: 1 },
      { then: 1 },
    ]) {
      deepStrictEqual([toInput(given), observableInput.is(given)], [[], false]);
    }
  });
});
