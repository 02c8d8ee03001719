import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { EMPTY } from 'rxjs';
import { comingBack, type Seated } from '../../../examples/lobby-server/coming-back.js';
import { connectPlayer, tryConnect } from './connect-player.js';
import { openGate, type OpenGate } from './gate.js';
import { waitUntil } from '../../wait-until.js';

const GRACE = 30_000;

describe('examples/lobby-server/coming-back', () => {
  let gate: OpenGate;
  let seated: Seated[];
  let open: Set<Seated['socket']>;
  let freed: string[];
  let close: () => void;
  const at = (path: string, token: string) => `ws://127.0.0.1:${gate.port}${path}?token=${token}`;
  const back = async (seat: string) => {
    const result = await tryConnect(at('/back', seat));
    return result.kind === 'refused' ? result.body : result.kind;
  };
  /** So many players come in. */
  const enter = async (count: number) => {
    const tokens = Array.from({ length: count }, () => gate.reserveToken());
    const before = seated.length;
    const players = await Promise.all(tokens.map(token => connectPlayer(at('/play', token))));
    await waitUntil(() => seated.length === before + count);
    return { tokens, players };
  };
  const drop = async (players: Awaited<ReturnType<typeof enter>>['players']) => {
    const gone = () => seated.filter(({ socket }) => !open.has(socket)).length;
    const before = gone();
    for (const { ws } of players) ws.terminate();
    await waitUntil(() => gone() === before + players.length);
  };

  beforeEach(async () => {
    [seated, freed, open] = [[], [], new Set()];
    gate = await openGate({ path: '/other' });
    const { server, client, scheduler } = gate;
    const freeSlot = (token: string) => {
      freed.push(token);
      return EMPTY;
    };
    const follow = (one: Seated) => {
      seated.push(one);
      open.add(one.socket);
      one.socket.closed$.subscribe(() => open.delete(one.socket));
    };
    const lobby = comingBack({ server, client, scheduler, freeSlot, grace: GRACE }).subscribe(follow);
    close = () => lobby.unsubscribe();
  });
  afterEach(async () => {
    close();
    for (const { socket } of seated) socket.close();
    await gate.close();
  });

  it('keeps the seat of a player who comes back within the grace, each time', async () => {
    const { players } = await enter(1);
    const [{ seat }] = seated as [Seated];
    strictEqual(await back(seat), 'no_token');
    await drop(players);
    for (let i = 1; i <= 2; i++) {
      gate.pass(GRACE - 1);
      strictEqual(await back(seat), 'open');
      await waitUntil(() => seated.length === i + 1);
      strictEqual(seated[i]!.seat, seat);
      strictEqual(await back(seat), 'already_connected');
      gate.pass(GRACE);
      deepStrictEqual(freed, []);
      seated[i]!.socket.close();
      await waitUntil(() => !open.has(seated[i]!.socket));
    }
  });

  it('frees the slots of all others when their graces end, however many end at once', async () => {
    const { tokens, players } = await enter(100);
    await drop(players);
    const [{ seat }] = seated as [Seated];
    strictEqual(await back(seat), 'open');
    gate.pass(GRACE - 1);
    deepStrictEqual(freed, []);
    gate.pass(1);
    // More than the gate would run hooks at once.
    strictEqual(freed.length, 99);
    ok(freed.every(token => tokens.includes(token)));
    strictEqual(await back(seated[1]!.seat), 'no_token');
    strictEqual(await back('made up'), 'no_token');
  });

  it('frees all slots when the lobby closes', async () => {
    const { tokens, players } = await enter(2);
    await drop(players.slice(1));
    close();
    strictEqual(freed.length, 1);
    await drop(players.slice(0, 1));
    deepStrictEqual(new Set(freed), new Set(tokens));
  });
});
