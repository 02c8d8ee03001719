import { throws } from 'node:assert';
import { createClient } from 'lobby-rx';

describe('a client in an engine without URL', () => {
  const { URL } = globalThis;
  afterEach(() => Object.assign(globalThis, { URL }));

  it('says so, instead of rejecting a URL that is right', () => {
    Reflect.deleteProperty(globalThis, 'URL');
    throws(
      () => createClient({ url: 'https://api.example', token: 't' }),
      /global URL: load a polyfill first/,
    );
  });
});
