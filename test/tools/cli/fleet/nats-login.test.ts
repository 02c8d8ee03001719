import { deepStrictEqual, throws } from 'node:assert';
import { natsLogin } from '../../../../src/tools/cli/fleet/nats-login.js';

const NATS_URL = 'nats://127.0.0.1:4222';

describe('how fleet logs in to NATS', () => {
  const loginBy = (env: Readonly<Record<string, string>>) => {
    const { user, pass, token } = natsLogin(undefined, { NATS_URL, ...env }).options;
    return { user, pass, token };
  };

  it('is by user and password, by a token if there is no password, or not at all', () => {
    const none = { user: undefined, pass: undefined, token: undefined };
    deepStrictEqual(loginBy({ NATS_USER: 'eve', NATS_PASSWORD: 'secret' }), {
      ...none,
      user: 'eve',
      pass: 'secret',
    });
    deepStrictEqual(loginBy({ NATS_USER: 'token' }), { ...none, token: 'token' });
    deepStrictEqual(loginBy({}), none);
    throws(() => loginBy({ NATS_PASSWORD: 'secret' }), /^Error: NATS_USER is missing/);
  });

  it('takes the servers from the flag, if there is one', () => {
    const both = natsLogin('nats://a:1,nats://b:2', { NATS_URL });
    deepStrictEqual(both.options.servers, ['nats://a:1', 'nats://b:2']);
    deepStrictEqual(natsLogin(undefined, { NATS_URL }).options.servers, [NATS_URL]);
  });
});
