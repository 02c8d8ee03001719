import { strictEqual } from 'node:assert';
import { InputError } from 'lobby-rx';

describe('InputError', () => {
  const error = new InputError('count', 'a positive integer', '0');

  it('says in its message what to change', () => {
    strictEqual(error.message, 'count must be a positive integer; got 0');
  });

  it('has the parts of its message as properties', () => {
    strictEqual(error.argument, 'count');
    strictEqual(error.expected, 'a positive integer');
    strictEqual(error.got, '0');
  });
});
