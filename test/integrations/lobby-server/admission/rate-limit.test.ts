import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { settableTime } from '../../../settable-time.js';
import { confirmations, openGate, type OpenGate } from '../gate.js';
import { tryConnect } from '../connect-player.js';

describe('lobbyGate and a service that limits the rate', () => {
  let gate: OpenGate;
  const connect = (token: string) => tryConnect(`ws://127.0.0.1:${gate.port}/?token=${token}`);
  const refused = async (token: string) => {
    const result = await connect(token);
    ok(result.kind === 'refused');
    return [result.status, result.body, result.headers['retry-after']];
  };
  afterEach(() => gate.close());

  it('sends nothing to the service while that has asked it not to', async () => {
    gate = await openGate();
    gate.emulator.fault({ kind: 'rate_limited', wait: 30_000 });
    deepStrictEqual(await refused(gate.reserveToken()), [503, 'rate_limited', '30']);
    gate.pass(12_500);
    deepStrictEqual(await refused(gate.reserveToken()), [503, 'rate_limited', '18']);
    strictEqual(confirmations(gate), 1);
    gate.pass(17_500);
    strictEqual((await connect(gate.reserveToken())).kind, 'open');
  });

  it('tells nobody to wait for more than 15 minutes', async () => {
    gate = await openGate();
    gate.emulator.fault({ kind: 'rate_limited', wait: 2_000_000_000 });
    deepStrictEqual(await refused(gate.reserveToken()), [503, 'rate_limited', '900']);
    gate.pass(900_000);
    strictEqual((await connect(gate.reserveToken())).kind, 'open');
  });

  it('asks again in time although the clock of the machine has been set back', async () => {
    const time = settableTime();
    try {
      gate = await openGate({ time });
      gate.emulator.fault({ kind: 'rate_limited', wait: 30_000 });
      await refused(gate.reserveToken());
      time.setBack(3_600_000);
      gate.pass(12_500);
      deepStrictEqual(await refused(gate.reserveToken()), [503, 'rate_limited', '18']);
      gate.pass(17_500);
      strictEqual((await connect(gate.reserveToken())).kind, 'open');
    } finally {
      time.restore();
    }
  });
});
