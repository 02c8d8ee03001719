import { deepStrictEqual } from 'node:assert';
import { describe as inWords } from '../../src/error/describe.js';

describe('a value in an error message', () => {
  it('is described in a few words, and a string is never quoted', () => {
    deepStrictEqual(
      [undefined, null, [1], '', 's3cret', 7, 1e6, NaN, true, {}, () => 7, Symbol('s3cret'), 7n].map(inWords),
      [
        'undefined',
        'null',
        'an array',
        'an empty string',
        'a string of 6 characters',
        '7',
        'a large number',
        'NaN',
        'true',
        'an object',
        'a function',
        'a symbol',
        'a bigint',
      ],
    );
  });
});
