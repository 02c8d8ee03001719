import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Observable } from 'rxjs';
import type { Client } from 'lobby-rx';
import { waitUntil } from '../../wait-until.js';
import { connectPlayer, tryConnect } from './connect-player.js';
import { openGate, type OpenGate } from './gate.js';

const ROOT = join(import.meta.dirname, '../../..');

type FreeSlot = (player_token: string) => Observable<unknown>;
type Load = (client: Pick<Client, 'matchmaker'>) => FreeSlot;

/** The hook of a page, as a function of the client that it uses. */
function freeSlotOf(file: string): Load {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const [, definition] = /^ +freeSlot: (player_token =>\s[^,]*),$/m.exec(text) ?? [];
  ok(definition, `${file}: no freeSlot`);
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  return new Function('client', `const { players } = client.matchmaker; return ${definition};`) as Load;
}

for (const file of ['README.md', 'docs/lobby-server.md', 'examples/lobby-server/main.ts']) {
  describe(`The freeSlot of ${file}, in a lobby of one`, () => {
    let gate: OpenGate;
    const at = (token: string) => `ws://127.0.0.1:${gate.port}/?token=${token}`;
    afterEach(() => gate.close());

    const open = async () => {
      const later: { freeSlot?: FreeSlot } = {};
      const freeSlot: FreeSlot = player_token => later.freeSlot!(player_token);
      gate = await openGate({ maxPlayers: 1, freeSlot });
      later.freeSlot = freeSlotOf(file)(gate.client);
    };
    const state = (token: string) => gate.emulator.playerState(token);
    const reservesOne = () => {
      try {
        return gate.reserveToken();
      } catch {
        return undefined;
      }
    };

    it('keep a reservation over one 503 of a proxy, and never let a second player in', async () => {
      await open();
      const token = gate.reserveToken();
      gate.emulator.fault({ kind: 'html', status: 503 });
      strictEqual((await tryConnect(at(token))).kind, 'refused');
      gate.pass(1_000);
      strictEqual(state(token), 'reserved');
      const { ws } = await connectPlayer(at(token));
      gate.pass(60_000);
      deepStrictEqual([state(token), reservesOne()], ['connected', undefined]);
      ws.close();
      await waitUntil(() => state(token) === 'removed');
    });

    it('free the slot of a player whose answer was lost and who does not come again', async () => {
      await open();
      const token = gate.reserveToken();
      gate.emulator.fault({ kind: 'reset_in_body' });
      strictEqual((await tryConnect(at(token))).kind, 'refused');
      strictEqual(state(token), 'connected');
      gate.pass(10_000);
      await waitUntil(() => state(token) === 'removed');
      await connectPlayer(at(gate.reserveToken()));
    });

    it('free it if they come again and the service says that they are connected', async () => {
      await open();
      const token = gate.reserveToken();
      gate.emulator.fault({ kind: 'reset_in_body' });
      for (const status of [503, 403]) {
        const result = await tryConnect(at(token));
        ok(result.kind === 'refused' && result.status === status);
      }
      await waitUntil(() => state(token) === 'removed');
      strictEqual(gate.admitted.length, 0);
    });
  });
}
