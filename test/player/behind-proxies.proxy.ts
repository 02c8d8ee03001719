import { deepStrictEqual } from 'node:assert';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { lobbyConnection, type LobbyConnection } from 'lobby-rx';
import { openGate, type OpenGate } from '../integrations/lobby-server/gate.js';
import { open, openReloadableCaddy, type RealProxy } from '../real-proxy.js';
import { waitUntil } from '../wait-until.js';

const FASTIFY_PROXY = join(import.meta.dirname, '../services/npm/fastify-proxy.js');
const PLAYERS = 5;

describe('lobbyConnection behind a real proxy', function () {
  this.timeout(60_000);
  let gate: OpenGate;
  let proxy: RealProxy;
  const leaves: (() => void)[] = [];
  afterEach(async () => {
    for (const leave of leaves.splice(0)) leave();
    await proxy.close();
    await gate.close();
  });

  const enter = (): LobbyConnection => {
    const entrance = { url: `ws://127.0.0.1:${proxy.port}/play`, token: gate.reserveToken() };
    const connection = lobbyConnection(entrance, { WebSocket });
    const subscription = connection.subscribe({ error: () => undefined });
    leaves.push(() => subscription.unsubscribe());
    return connection;
  };
  const count = (kind: string) => gate.log.filter(entry => entry.kind === kind).length;
  /** All players are in. The gate accepts a return once a second of its virtual clock. */
  const untilAllAreIn = (players: readonly LobbyConnection[]) =>
    waitUntil(() => {
      gate.pass(100);
      return players.every(({ status }) => status.state === 'live');
    });

  it('comes back when Caddy is reloaded', async () => {
    gate = await openGate({ token: 'message', grace: 3_600_000 });
    const caddy = await openReloadableCaddy(`127.0.0.1:${gate.port}`);
    proxy = caddy;
    const players = Array.from({ length: PLAYERS }, enter);
    await untilAllAreIn(players);
    await caddy.reload();
    await waitUntil(() => count('away') === PLAYERS);
    await untilAllAreIn(players);
    await waitUntil(() => count('returned') === PLAYERS);
    deepStrictEqual([gate.left, gate.admitted.length], [[], PLAYERS]);
  });

  it('comes back through a proxy that makes 4006 of 1006, and the gate keeps the slot', async () => {
    gate = await openGate({ token: 'message', grace: 3_600_000 });
    proxy = await open('node', [FASTIFY_PROXY, 'PORT', `http://127.0.0.1:${gate.port}`], () => '');
    const sockets: WebSocket[] = [];
    class Tracked extends WebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols);
        sockets.push(this);
      }
    }
    const entrance = { url: `ws://127.0.0.1:${proxy.port}/play`, token: gate.reserveToken() };
    const ada = lobbyConnection(entrance, { WebSocket: Tracked });
    const subscription = ada.subscribe({ error: () => undefined });
    leaves.push(() => subscription.unsubscribe());
    await untilAllAreIn([ada]);
    sockets[0]!.terminate();
    await waitUntil(() => count('away') === 1);
    await waitUntil(() => {
      gate.pass(100);
      return count('returned') === 1;
    });
    await untilAllAreIn([ada]);
    const away = gate.log.find(entry => entry.kind === 'away');
    deepStrictEqual([gate.left, gate.admitted.length, away?.code], [[], 1, 4006]);
  });
});
