import { throws } from 'node:assert';
import { createClient } from 'lobby-rx';

describe('a client in an engine without URL', () => {
  const { URL } = globalThis;
  afterEach(() => Object.assign(globalThis, { URL }));

  it('asks for a polyfill of URL, instead of rejecting a valid URL', () => {
    Reflect.deleteProperty(globalThis, 'URL');
    throws(
      () => createClient({ url: 'https://api.example', token: 't' }),
      /global URL: load a polyfill first/,
    );
  });
});
