import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { NEVER, throwError, type Observable } from 'rxjs';
import { StatusError } from 'lobby-rx';
import { createTokenConfirmation } from '../../../../src/integrations/lobby-server/admission/index.js';
import { createGatePlaces } from '../../../../src/integrations/lobby-server/places.js';
import { confirmations, openGate, type OpenGate } from '../gate.js';
import { tryConnect } from '../connect-player.js';

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

  it('forgets the oldest of more than 10,000 refused tokens', async () => {
    let asked = 0;
    const answer = new StatusError(400, { method: 'POST', url: '/' }, { code: 'TOKEN_ERROR' });
    const connected = (): Observable<void> => throwError(() => (asked++, answer));
    gate = await openGate();
    const { scheduler } = gate;
    const settings = { client: { matchmaker: { players: { connected } } }, scheduler } as never;
    const places = createGatePlaces({ maxWaiting: 10, maxPending: 10 });
    const { confirm } = createTokenConfirmation(settings, places, () => undefined, NEVER);
    const again = (token: string) => {
      const before = asked;
      confirm(token, 'a').subscribe();
      return asked > before;
    };
    for (let n = 0; n < 10_000; n++) confirm(`token-${n}`, 'a').subscribe();
    deepStrictEqual(
      [again('token-0'), again('one more'), again('token-1'), again('token-0')],
      [false, true, false, true],
    );
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
