import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { Subject } from 'rxjs';
import { waitUntil } from '../../../wait-until.js';
import { confirmations, openGate, type OpenGate } from '../gate.js';
import { connectPlayer, tryConnect } from '../connect-player.js';

describe('lobbyGate and freeSlot', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  it('runs at most 64 at once, and leaves none out', async () => {
    const running = new Map<string, Subject<void>>();
    const called: string[] = [];
    gate = await openGate({
      freeSlot: token => {
        called.push(token);
        const ended$ = new Subject<void>();
        running.set(token, ended$);
        return ended$;
      },
    });
    const tokens = Array.from({ length: 67 }, () => gate.reserveToken());
    for (const token of tokens) {
      const { ws } = await connectPlayer(at(`?token=${token}`));
      ws.close();
    }
    const left = () => gate.log.filter(({ kind }) => kind === 'left').length;
    await waitUntil(() => left() === 67);
    for (let ended = 0; ended < 67; ended++) {
      strictEqual(called.length, Math.min(67, ended + 64));
      running.get(called[ended]!)!.complete();
    }
    deepStrictEqual([...called].sort(), [...tokens].sort());
  });

  it('refuses the token of a player who has left without asking the service, until their slot is free', async () => {
    const freed$ = new Subject<void>();
    gate = await openGate({ freeSlot: () => freed$ });
    const token = gate.reserveToken();
    const { ws } = await connectPlayer(at(`?token=${token}`));
    ws.close();
    await waitUntil(() => freed$.observed);
    for (const asked of [1, 2]) {
      const result = await tryConnect(at(`?token=${token}`));
      ok(result.kind === 'refused' && result.body === 'already_connected');
      ok(!('retry-after' in result.headers));
      strictEqual(confirmations(gate), asked);
      freed$.complete();
    }
  });
});
