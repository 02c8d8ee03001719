import { strictEqual } from 'node:assert';
import { StatusError } from '../../src/error/index.js';

describe('the message of a StatusError', () => {
  it('is one line, in which a service cannot control a terminal', () => {
    const { message } = new StatusError(
      400,
      { method: 'GET', url: 'https://a.example/' },
      { code: 'A\u001b[31m', reason: 'b\r\nc\u2028d\u202ee\u009b' },
    );
    strictEqual(message, '400 A [31m: b c d e  (GET https://a.example/)');
  });
});
