import { strictEqual } from 'node:assert';
import { isFromService, StatusError } from '../../src/error/index.js';

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

describe('isFromService', () => {
  const request = { method: 'GET', url: 'https://a.example/' };
  const isOwn = (details: { readonly code?: string; readonly rayId?: string }) =>
    isFromService(new StatusError(404, request, details));

  it('knows the service by the name of its code, or by its ray id', () => {
    strictEqual(isOwn({ code: 'GROUP_NOT_FOUND' }), true);
    strictEqual(isOwn({ code: '404', rayId: 'r' }), true);
    strictEqual(isOwn({}), false);
  });

  it('takes no gateway for it, whose codes are digits while an API is deployed again', () => {
    for (const code of ['404', '900908', '900901']) strictEqual(isOwn({ code }), false);
  });
});
