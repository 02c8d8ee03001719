import { strictEqual } from 'node:assert';
import {
  DecodeError,
  InputError,
  isRetryable,
  StatusError,
  TransportError,
  UnauthorizedError,
} from 'lobby-rx';

const request = { method: 'GET', url: 'https://service.example' };

describe('isRetryable', () => {
  for (const reason of ['not_sent', 'unreachable', 'lost', 'timeout'] as const) {
    it(`is true if there is no answer: ${reason}`, () => {
      strictEqual(isRetryable(new TransportError(reason, '', request)), true);
    });
  }

  for (const reason of ['redirected', 'too_large', 'client_closed'] as const) {
    it(`is false if each attempt fails alike: ${reason}`, () => {
      strictEqual(isRetryable(new TransportError(reason, '', request)), false);
    });
  }

  for (const status of [408, 425, 429, 500, 502, 503, 504]) {
    it(`is true after the transient status ${status}`, () => {
      strictEqual(isRetryable(new StatusError(status, request)), true);
    });
  }

  for (const status of [304, 400, 401, 403, 404, 410]) {
    it(`is false after the status ${status}, which stays the same`, () => {
      strictEqual(isRetryable(new StatusError(status, request)), false);
    });
  }

  it('is true for an error that is not of this library', () => {
    strictEqual(isRetryable(new TypeError('of the caller')), true);
    strictEqual(isRetryable('down'), true);
  });

  it('is false for an invalid argument, an answer that breaks the contract, and a rejected token', () => {
    strictEqual(isRetryable(new InputError('a', 'b', 'c')), false);
    strictEqual(isRetryable(new DecodeError({ path: '', expected: 'a', got: 'b' })), false);
    strictEqual(isRetryable(new UnauthorizedError(request)), false);
  });
});
