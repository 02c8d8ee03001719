import { doesNotThrow, ok, throws } from 'node:assert';
import { createClient, isInputError, type ClientConfig } from 'lobby-rx';

const urls = {
  groupUrl: 'https://g.example',
  matchmakerUrl: 'https://m.example',
  apiUrl: 'https://a.example',
};

describe('createClient', () => {
  const refuses = (change: Partial<Record<keyof ClientConfig, unknown>>, message: RegExp) => {
    throws(
      () => createClient({ ...urls, token: 't', ...change } as ClientConfig),
      (error: unknown) => {
        ok(isInputError(error), String(error));
        return message.test(error.message);
      },
      String(message),
    );
  };

  it('refuses an address that cannot be meant, at once', () => {
    refuses({ groupUrl: undefined }, /^groupUrl must be an absolute URL, like .*; got nothing$/);
    refuses({ groupUrl: '' }, /^groupUrl must be an absolute URL/);
    refuses({ matchmakerUrl: 'm.example/x' }, /^matchmakerUrl must be an absolute URL/);
    refuses({ apiUrl: 'ftp://a.example' }, /^apiUrl must be an http: or https: URL; got ftp:$/);
    refuses({ apiUrl: 'https://a.example?x=1' }, /without '\?' and '#'/);
    refuses({ apiUrl: 'https://user:s3cret@a.example' }, /without a user and password; got one with them$/);
  });

  it('refuses plain http: to a host that is not this machine, unless told that it may', () => {
    refuses({ groupUrl: 'http://g.example' }, /^groupUrl must be an https: URL, .*insecure: true/);
    refuses({ groupUrl: 'http://127.0.0.1.example' }, /https: URL/);
    refuses({ groupUrl: 'http://localhost.example' }, /https: URL/);
    for (const groupUrl of [
      'http://localhost:80',
      'http://127.0.0.1:1/x',
      'http://[::1]:1',
      'http://a.localhost',
    ]) {
      doesNotThrow(() => createClient({ ...urls, groupUrl, token: 't' }));
    }
    doesNotThrow(() => createClient({ ...urls, groupUrl: 'http://g.example', token: 't', insecure: true }));
  });

  it('refuses a token that no header can carry, and does not show it', () => {
    refuses(
      { token: '' },
      /^token must be a bearer token, or a function that gives one; got an empty string$/,
    );
    refuses({ token: undefined }, /got nothing$/);
    refuses({ token: 's3cret\n' }, /^(?!.*s3cret).*line breaks/);
    refuses({ token: 'se cret' }, /^(?!.*se cret).*spaces/);
    refuses({ token: 'Bearer s3cret' }, /begins with 'Bearer', which is added to it$/);
  });

  it('refuses numbers that cannot be meant', () => {
    refuses({ deadline: -1 }, /^deadline must be a number of milliseconds/);
    refuses({ linger: NaN }, /^linger must be/);
    refuses({ watch: { deadline: Infinity } }, /^deadline must be/);
    refuses({ watch: { burst: 0 } }, /^burst must be a positive integer; got 0$/);
    refuses({ backoff: { max: -1 } }, /^backoff\.max must be/);
  });
});
