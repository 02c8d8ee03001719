import { strictEqual } from 'node:assert';
import { of, Subject } from 'rxjs';
import { observableInput } from '../../src/error/index.js';

describe('an input of RxJS', () => {
  const nothing = () => undefined;
  const inputs = {
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
  for (const [name, given] of Object.entries(inputs)) {
    it(`is ${name}`, () => {
      strictEqual(observableInput.is(given), true);
    });
  }

  it('is nothing else', () => {
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
      strictEqual(observableInput.is(given), false);
    }
  });
});
