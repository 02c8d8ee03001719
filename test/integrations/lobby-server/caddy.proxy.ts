import { deepStrictEqual } from 'node:assert';
import { openReloadableCaddy, type CaddyProxy } from '../../real-proxy.js';
import { waitUntil } from '../../wait-until.js';
import { connectPlayer } from './connect-player.js';
import { openGate, type OpenGate } from './gate.js';

describe('The gate behind Caddy', () => {
  let gate: OpenGate;
  let proxy: CaddyProxy;
  afterEach(async () => {
    await proxy.close();
    await gate.close();
  });

  it('lets every player come back whom a reload of Caddy has thrown out', async () => {
    gate = await openGate({ token: 'message', grace: 30_000 });
    proxy = await openReloadableCaddy(`127.0.0.1:${gate.port}`);
    const url = `ws://127.0.0.1:${proxy.port}/play`;
    const closed: Promise<unknown>[] = [];
    for (let i = 0; i < 3; i++) {
      const player = await connectPlayer(url);
      closed.push(player.closed);
      player.ws.send(gate.reserveToken());
      await waitUntil(() => gate.admitted.length === i + 1);
    }
    const tickets = gate.admitted.map(({ returnTicket }) => returnTicket);
    await proxy.reload();
    await Promise.all(closed);
    const count = (kind: string) => gate.log.filter(entry => entry.kind === kind).length;
    await waitUntil(() => count('away') === 3);
    for (const ticket of tickets) (await connectPlayer(url)).ws.send(ticket);
    await waitUntil(() => count('returned') === 3);
    deepStrictEqual([gate.left, count('refused')], [[], 0]);
  }).timeout(30_000);
});
