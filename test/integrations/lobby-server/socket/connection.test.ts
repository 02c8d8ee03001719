import { deepStrictEqual, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { firstValueFrom } from 'rxjs';
import type { LobbyGateConfig } from 'lobby-rx/lobby-server';
import { connectRaw } from '../raw-client.js';
import { turns } from '../../../turns.js';
import { waitUntil } from '../../../wait-until.js';
import { openGate, type OpenGate } from '../gate.js';

describe('lobbyGate and players who are half-open', () => {
  let gate: OpenGate;
  afterEach(() => gate.close());

  /** A player who answers nothing any more, and how their socket is closed. */
  const halfOpen = async (config: Pick<LobbyGateConfig, 'drainTimeout'> = {}) => {
    gate = await openGate(config);
    const client = await connectRaw(gate.port, `/?token=${gate.reserveToken()}`);
    await once(client, 'data');
    await waitUntil(() => gate.admitted.length === 1);
    const player = gate.admitted[0]!;
    return { player, closed: firstValueFrom(player.closed$), hasLeft: once(client, 'close') };
  };

  for (const [config, time] of [
    [{}, 3_000],
    [{ drainTimeout: 1_000 }, 500],
  ] as const) {
    it(`disconnects one who has not answered a close frame for ${time} ms, so that a shutdown has time for the slots`, async () => {
      const { player, closed, hasLeft } = await halfOpen(config);
      player.close(1001, 'the lobby closes');
      gate.pass(time - 1);
      await turns(10);
      deepStrictEqual(gate.left, []);
      gate.pass(1);
      await turns(10);
      strictEqual(gate.left.length, 1);
      await hasLeft;
      deepStrictEqual(await closed, { code: 1001, reason: 'the lobby closes' });
    });
  }

  it('disconnects one at once by terminate()', async () => {
    const { player, closed, hasLeft } = await halfOpen();
    player.terminate();
    await hasLeft;
    strictEqual((await closed).code, 1006);
    player.terminate();
  });

  it('disconnects one at once by terminate() after close()', async () => {
    const { player, closed, hasLeft } = await halfOpen();
    player.close(4000, 'kicked');
    player.terminate();
    await hasLeft;
    strictEqual((await closed).code, 4000);
    player.terminate();
  });
});
