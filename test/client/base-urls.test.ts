import { strictEqual, throws } from 'node:assert';
import { createClient } from 'lobby-rx';
import { baseUrl } from '../../src/client/base-urls.js';

describe('a base URL', () => {
  const of = (value: unknown) => baseUrl('url', value, false);
  const got = (value: unknown, shown: string) =>
    throws(
      () => of(value),
      ({ message }: Error) => message.endsWith(`; got ${shown}`),
      String(value),
    );

  it('is an origin and a path, without trailing slashes', () => {
    for (const slashes of ['', '/', '//', '///']) {
      strictEqual(of(`https://A.example:443${slashes}`), 'https://a.example');
      strictEqual(of(`https://a.example:8443/x//y${slashes}`), 'https://a.example:8443/x//y');
    }
  });

  it('must be a string: an object might give another URL the next time', () => {
    got(new URL('https://a.example'), 'an object');
    got(['https://a.example'], 'an array');
  });

  it('has no user, password, query or fragment', () => {
    got('https://user@a.example', 'one with a user');
    got('https://user:s3cret@a.example', 'one with a user');
    got('https://:s3cret@a.example', 'one with a password');
    got('https://a.example?x=1', 'one with a query');
    got('https://a.example#x', 'one with a fragment');
  });

  it('is never quoted in an error: it may be a token', () => {
    got('a.example/x', 'a string of 11 characters');
    got('identity.0123456789abcdef', 'a string of 25 characters');
    got('user/s3cret@', 'a string of 12 characters');
    got('', 'an empty string');
  });

  it('may be http: for every address of this machine, and for no other', () => {
    for (const host of ['localhost', '[::1]', '127.0.0.1', '127.10.200.255']) {
      strictEqual(of(`http://${host}:80/x`), `http://${host}/x`);
    }
    for (const host of [
      'a.example',
      'localhost.example',
      // Whatever the machine's resolver says.
      'a.localhost',
      'xlocalhost',
      '128.0.0.1',
      '[::2]',
      '127.0.0.1.example',
    ]) {
      throws(() => of(`http://${host}`), /exposes the token/);
      strictEqual(baseUrl('url', `http://${host}`, true), `http://${host}`);
    }
  });
});

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
