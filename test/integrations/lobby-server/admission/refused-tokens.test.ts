import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { confirmations, openGate, type OpenGate } from '../gate.js';
import { tryConnect } from '../connect-player.js';
import { createRefusedTokens } from '../../../../src/integrations/lobby-server/admission/refused-tokens.js';
import { REFUSALS } from '../../../../src/integrations/lobby-server/admission/refusal.js';
import { virtualTime } from '../../../virtual-time.js';

describe('lobbyGate and requests that it need not send', () => {
  let gate: OpenGate;
  const connect = (token: string) => tryConnect(`ws://127.0.0.1:${gate.port}/?token=${token}`);
  const refused = async (token: string) => {
    const result = await connect(token);
    ok(result.kind === 'refused');
    return [result.status, result.body, result.headers['retry-after']];
  };
  afterEach(() => gate.close());

  it('refuses a token that was just refused without asking the service, for a while', async () => {
    gate = await openGate();
    for (const [ms, asked] of [
      [0, 1],
      [9_999, 1],
      [1, 2],
    ] as const) {
      gate.pass(ms);
      for (let i = 0; i < 3; i++) {
        deepStrictEqual(await refused('wrong-token'), [401, 'invalid_token', undefined]);
      }
      strictEqual(confirmations(gate), asked);
    }
  });

  it('forgets the oldest of more than 10,000 refused tokens', () => {
    const { scheduler } = virtualTime();
    const tokens = createRefusedTokens({ scheduler });
    const { status, code, reason } = REFUSALS.noHandshake;
    for (let n = 0; n < 10_000; n++) tokens.add(`token-${n}`, REFUSALS.noHandshake);
    deepStrictEqual(tokens.get('token-0'), { status, code, reason });
    tokens.add('one more', REFUSALS.noHandshake);
    deepStrictEqual([tokens.get('token-0'), tokens.get('token-1')?.status], [undefined, status]);
  });

  it('sends nothing to the service while that has asked it not to', async () => {
    gate = await openGate();
    gate.emulator.fault({ kind: 'rate_limited', wait: 30_000 });
    deepStrictEqual(await refused(gate.reserveToken()), [503, 'API_RATE_LIMIT', '30']);
    gate.pass(12_500);
    deepStrictEqual(await refused(gate.reserveToken()), [503, 'API_RATE_LIMIT', '18']);
    strictEqual(confirmations(gate), 1);
    gate.pass(17_500);
    strictEqual((await connect(gate.reserveToken())).kind, 'open');
  });

  it('tells nobody to wait for more than 15 minutes', async () => {
    gate = await openGate();
    gate.emulator.fault({ kind: 'rate_limited', wait: 2_000_000_000 });
    deepStrictEqual(await refused(gate.reserveToken()), [503, 'API_RATE_LIMIT', '900']);
    gate.pass(900_000);
    strictEqual((await connect(gate.reserveToken())).kind, 'open');
  });
});
