import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { firstValueFrom, NEVER } from 'rxjs';
import { WebSocket } from 'ws';
import { isLobbyClosedError, lobbyConnection, type LobbyConnectionConfig } from 'lobby-rx';
import { slotFiles } from 'lobby-rx/lobby-server';
import { PLAYER_PROTOCOL } from '../../../src/player/index.js';
import { waitUntil } from '../../wait-until.js';
import { confirmations, eachFromElsewhere, openGate, type OpenGate } from './gate.js';

const GRACE = 30_000;

describe('lobbyConnection and lobbyGate', () => {
  let gate: OpenGate;
  const leaves: (() => void)[] = [];
  afterEach(async () => {
    for (const leave of leaves.splice(0)) leave();
    await gate.close();
  });

  /** A player with the virtual clock of the gate, and real sockets. */
  const enter = (token: string, config: LobbyConnectionConfig = {}) => {
    const url = `ws://127.0.0.1:${gate.port}/`;
    const { scheduler } = gate;
    const connection = lobbyConnection({ url, token }, { WebSocket, scheduler, ...config });
    const messages: unknown[] = [];
    const ends: unknown[] = [];
    const subscription = connection.subscribe({
      next: message => messages.push(message),
      error: (error: unknown) => ends.push(isLobbyClosedError(error) ? error.reason : error),
      complete: () => ends.push('complete'),
    });
    const leave = () => subscription.unsubscribe();
    leaves.push(leave);
    return { connection, messages, ends, leave };
  };
  const isLive = ({ connection }: ReturnType<typeof enter>) =>
    waitUntil(() => connection.status.state === 'live');
  const count = async () => {
    const { open, away } = await firstValueFrom(gate.stats$);
    return { open, away };
  };

  it('pass messages on, come back after a drop, and free the slot when the player leaves', async () => {
    gate = await openGate({ token: 'message', grace: GRACE });
    const token = gate.reserveToken();
    const ada = enter(token);
    await isLive(ada);
    const [socket] = gate.admitted;
    const heard: unknown[] = [];
    socket!.message$.subscribe(message => heard.push(message));
    socket!.send('hello');
    socket!.send(new Uint8Array([7]));
    ada.connection.send('hi');
    ada.connection.send(new Uint8Array([8]));
    await waitUntil(() => heard.length === 2 && ada.messages.length === 2);
    deepStrictEqual(ada.messages, ['hello', new Uint8Array([7])]);
    deepStrictEqual([heard[0], [...(heard[1] as Uint8Array)]], ['hi', [8]]);
    ada.leave();
    await waitUntil(() => gate.left.length === 1);
    deepStrictEqual([gate.left, gate.log.at(-1)?.kind], [[token], 'freed']);
  });

  it('come back on another connection, as often as it drops', async () => {
    gate = await openGate({ token: 'message', grace: GRACE });
    const sockets: WebSocket[] = [];
    class Tracked extends WebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols);
        sockets.push(this);
      }
    }
    const ada = enter(gate.reserveToken(), { WebSocket: Tracked });
    await isLive(ada);
    const [socket] = gate.admitted;
    const statuses: string[] = [];
    socket!.status$.subscribe(status => statuses.push(status));
    for (let n = 0; n < 3; n++) {
      sockets.at(-1)!.terminate();
      await waitUntil(() => statuses.at(-1) === 'away' && ada.connection.status.state === 'retrying');
      // A player may come back once a second.
      gate.pass(1_000);
      await waitUntil(() => {
        gate.pass(10);
        return statuses.at(-1) === 'open' && ada.connection.status.state === 'live';
      });
      socket!.send(`back ${n}`);
      await waitUntil(() => ada.messages.length === n + 1);
    }
    deepStrictEqual([await count(), gate.left], [{ open: 1, away: 0 }, []]);
  });

  /** The sockets of a player who opens them on a network that may fail. */
  const unreliableNetwork = () => {
    const sockets: UnreliableSocket[] = [];
    class UnreliableSocket extends WebSocket {
      isDeaf = false;
      constructor(url: string, protocols: string[]) {
        super(url, protocols);
        sockets.push(this);
      }
      override emit(event: string, ...args: unknown[]): boolean {
        return this.isDeaf && event === 'message' ? false : super.emit(event, ...args);
      }
    }
    return { sockets, WebSocket: UnreliableSocket };
  };
  const untilLive = ({ connection }: ReturnType<typeof enter>) =>
    waitUntil(() => {
      gate.pass(10);
      return connection.status.state === 'live';
    });

  const untilNoConnection = async () => {
    const connections = promisify(gate.server.getConnections.bind(gate.server));
    await waitUntil(async () => (await connections()) === 0);
  };

  for (const token of ['message', 'query'] as const) {
    it(`come back if the connection drops while the service is asked, with the token in a ${token}`, async () => {
      gate = await openGate({ token, grace: GRACE, holdRequests: true });
      const { sockets, WebSocket } = unreliableNetwork();
      const secret = gate.reserveToken();
      const ada = enter(secret, { token, WebSocket });
      await waitUntil(() => gate.heldRequests() === 1);
      sockets[0]!.terminate();
      // Comes too early, and is asked to come later.
      await waitUntil(() => {
        gate.pass(10);
        return ada.connection.status.error?.reason === 'busy';
      });
      const stranger = enter(secret, { token });
      await waitUntil(() => stranger.ends.length === 1);
      gate.sendHeldRequests();
      await waitUntil(() => gate.admitted.length === 1);
      await untilLive(ada);
      deepStrictEqual([stranger.ends, ada.ends, gate.left], [['already_connected'], [], []]);
      deepStrictEqual([gate.admitted.length, confirmations(gate)], [1, 1]);
      const kinds = gate.log.map(({ kind }) => kind).filter(kind => kind !== 'refused');
      deepStrictEqual(kinds, ['admitted', 'away', 'returned']);
      ok(!gate.admitted[0]!.url.includes('token'), gate.admitted[0]!.url);
      ada.leave();
      await waitUntil(() => gate.left.length === 1);
    });
  }

  it('come back if the welcome does not arrive, and the gate still sees the old connection', async () => {
    gate = await openGate({ token: 'message', grace: GRACE });
    const { sockets, WebSocket } = unreliableNetwork();
    const secret = gate.reserveToken();
    const ada = enter(secret, { WebSocket });
    sockets[0]!.isDeaf = true;
    await waitUntil(() => gate.admitted.length === 1);
    // The client gives this connection up, without a word to the gate.
    sockets[0]!.close = () => undefined;
    sockets[0]!.emit('error', new Error('the network is gone'));
    await untilLive(ada);
    deepStrictEqual([await count(), gate.admitted.length, ada.ends], [{ open: 1, away: 0 }, 1, []]);
    const stranger = enter(secret);
    await waitUntil(() => stranger.ends.length === 1);
    deepStrictEqual(stranger.ends, ['already_connected']);
  });

  it('free the slot at once if the player leaves while the service is asked', async () => {
    gate = await openGate({ token: 'message', grace: GRACE, holdRequests: true });
    const token = gate.reserveToken();
    const ada = enter(token);
    await waitUntil(() => gate.heldRequests() === 1);
    ada.leave();
    await untilNoConnection();
    gate.sendHeldRequests();
    await waitUntil(() => gate.left.length === 1);
    deepStrictEqual([gate.left, gate.admitted], [[token], []]);
  });

  it('free the slot if the player does not come back within the grace, or there is none', async () => {
    for (const grace of [GRACE, 0]) {
      gate = await openGate({ token: 'message', grace, holdRequests: true });
      const { sockets, WebSocket } = unreliableNetwork();
      const token = gate.reserveToken();
      enter(token, { WebSocket });
      await waitUntil(() => gate.heldRequests() === 1);
      sockets[0]!.terminate();
      await untilNoConnection();
      gate.sendHeldRequests();
      if (grace > 0) {
        await waitUntil(() => gate.log.some(({ kind }) => kind === 'away'));
        deepStrictEqual(gate.left, []);
        gate.unsubscribe();
      }
      await waitUntil(() => gate.left.length === 1);
      deepStrictEqual(gate.left, [token]);
      if (grace > 0) await gate.close();
    }
  });

  /** A gate whose requests to the service are held, perhaps with slot files. */
  const openSlowGate = async (folder: string | undefined) => {
    gate = await openGate({
      token: 'message',
      grace: GRACE,
      maxPending: 16,
      holdRequests: true,
      // Time passes faster than on a clock.
      clientConfig: { timeout: 3_600_000 },
      addressOf: eachFromElsewhere(),
      freeSlotTimeout: Infinity,
      client: {
        matchmaker: { players: { connected: input => slots.client.matchmaker.players.connected(input) } },
      },
      freeSlot: token => slots.freeSlot(token),
    });
    const { client, scheduler } = gate;
    const freeSlot = (player_token: string) => client.matchmaker.players.disconnected({ player_token });
    const slots =
      folder === undefined ? { client, freeSlot } : slotFiles({ client, scheduler, folder, gate: 'a' });
  };

  /** Players who come at once. */
  const enterTogether = (count: number) =>
    Array.from({ length: count }, () => {
      const token = gate.reserveToken();
      const { sockets, WebSocket } = unreliableNetwork();
      const { connection, leave } = enter(token, { WebSocket });
      const drop = () => sockets.at(-1)!.terminate();
      const kill = () => {
        drop();
        leave();
      };
      const isUsed = () => gate.emulator.playerState(token) === 'connected';
      return { connection, leave, drop, kill, isUsed };
    });

  const untilAnswered = (condition: () => boolean | Promise<boolean>) =>
    waitUntil(() => {
      gate.pass(100);
      gate.sendHeldRequests();
      return condition();
    });

  for (const slots of ['slot files', 'no slot files']) {
    it(`free every slot, whatever becomes of players who come at once to a slow service, with ${slots}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'lobby-rx-slots-'));
      await openSlowGate(slots === 'slot files' ? folder : undefined);
      const players = enterTogether(48);
      await waitUntil(() => gate.heldRequests() === 16);
      for (const [n, player] of players.entries()) {
        [() => undefined, player.kill, player.leave, player.drop][n % 4]!();
      }
      // Those who come back are busy, and come later.
      await waitUntil(() => {
        gate.pass(10);
        return players[3]!.connection.status.error?.reason === 'busy';
      });
      gate.emulator.fault({ kind: 'reset_before_headers' }, { times: 4 });
      await untilAnswered(() =>
        players.every(({ connection: { status } }) => ['idle', 'live', 'closed'].includes(status.state)),
      );
      ok(players.filter(player => player.isUsed()).length > 16);

      for (const [n, { kill, leave }] of players.entries()) [kill, leave][n % 2]!();
      gate.emulator.fault({ kind: 'rate_limited', wait: 5_000 }, { times: 3 });
      gate.emulator.fault({ kind: 'html', status: 502 }, { times: 10 });
      const files = () => readdirSync(folder, { recursive: true, withFileTypes: true });
      await untilAnswered(async () => {
        const { open, away, pending, unresolved } = await firstValueFrom(gate.stats$);
        const isFree = open + away + pending + unresolved === 0 && !players.some(player => player.isUsed());
        return isFree && !files().some(file => file.isFile());
      });
      rmSync(folder, { recursive: true });
    });
  }

  it('free a slot that an earlier process has left once, although its player comes again until it is free', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lobby-rx-slots-'));
    const disconnected: string[] = [];
    gate = await openGate({
      token: 'message',
      grace: GRACE,
      client: {
        matchmaker: { players: { connected: input => slots.client.matchmaker.players.connected(input) } },
      },
      freeSlot: token => slots.freeSlot(token),
      freeSlotTimeout: Infinity,
    });
    const { players } = gate.client.matchmaker;
    const start = (connected: typeof players.connected) => {
      const client = {
        matchmaker: {
          players: {
            connected,
            disconnected: (input: Parameters<typeof players.disconnected>[0]) => {
              disconnected.push(input.player_token);
              return players.disconnected(input);
            },
          },
        },
      };
      return slotFiles({ client, scheduler: gate.scheduler, folder, gate: 'a' });
    };
    // The first process is killed while the service confirms the player.
    const token = gate.reserveToken();
    await firstValueFrom(players.connected({ player_token: token }));
    start(() => NEVER)
      .client.matchmaker.players.connected({ player_token: token })
      .subscribe();
    const slots = start(input => players.connected(input));
    const ada = enter(token);
    const untilTrue = (condition: () => boolean) =>
      waitUntil(() => {
        gate.pass(100);
        return condition();
      });
    await untilTrue(() => ada.ends.length === 1);
    deepStrictEqual(ada.ends, ['removed']);
    const files = () => readdirSync(folder, { recursive: true, withFileTypes: true });
    await untilTrue(() => !files().some(file => file.isFile()));
    // The gate itself had never asked the service, and has nothing to free.
    gate.pass(600_000);
    deepStrictEqual([disconnected, gate.left, gate.unresolved], [[token], [], []]);
    rmSync(folder, { recursive: true });
  });

  it('keep heartbeats to themselves', async () => {
    gate = await openGate({ token: 'message' });
    const ada = enter(gate.reserveToken(), { heartbeat: 100 });
    await isLive(ada);
    const heard: unknown[] = [];
    gate.admitted[0]!.message$.subscribe(message => heard.push(message));
    for (let n = 0; n < 5; n++) {
      gate.pass(9_000);
      ada.connection.send(`${n}`);
      await waitUntil(() => heard.length === n + 1);
      gate.admitted[0]!.send(`${n}`);
      await waitUntil(() => ada.messages.length === n + 1);
    }
    deepStrictEqual(
      [heard, ada.messages, ada.ends],
      [['0', '1', '2', '3', '4'], ['0', '1', '2', '3', '4'], []],
    );
  });

  for (const token of ['message', 'query'] as const) {
    it(`tell a player why they are out, with the token in a ${token}`, async () => {
      gate = await openGate({ token, grace: GRACE });
      const secret = gate.reserveToken();
      const ada = enter(secret, { token });
      await isLive(ada);
      const other = enter(secret, { token });
      await waitUntil(() => other.ends.length === 1);
      const garbage = enter('garbage', { token });
      await waitUntil(() => garbage.ends.length === 1);
      deepStrictEqual([other.ends, garbage.ends], [['already_connected'], ['invalid_token']]);
      gate.admitted[0]!.close(4010, 'afk');
      await waitUntil(() => ada.ends.length === 1);
      deepStrictEqual(ada.ends, ['kicked']);
      strictEqual(ada.connection.status.error?.text, 'afk');
      const late = enter(secret, { token });
      await waitUntil(() => late.ends.length === 1);
      strictEqual(late.ends[0], 'already_connected');
    });
  }

  it('complete if the lobby closes the connection with 1000', async () => {
    gate = await openGate({ token: 'message', grace: GRACE });
    const ada = enter(gate.reserveToken());
    await isLive(ada);
    gate.admitted[0]!.close(1000, 'the game is over');
    await waitUntil(() => ada.ends.length === 1);
    deepStrictEqual([ada.ends, ada.connection.status.state], [['complete'], 'closed']);
  });

  it('get in once the service answers again', async () => {
    gate = await openGate({ token: 'message', clientConfig: { timeout: 1_000 } });
    gate.emulator.fault({ kind: 'html', status: 502 }, { times: 4 });
    const ada = enter(gate.reserveToken());
    await waitUntil(() => {
      gate.pass(10);
      return ada.connection.status.state === 'live';
    });
    ok(gate.log.some(entry => entry.kind === 'refused' && entry.reason === 'outcome_unknown'));
    deepStrictEqual(ada.ends, []);
  });

  it('say nothing to clients of other kinds', async () => {
    gate = await openGate({ token: 'message', grace: GRACE });
    for (const protocols of [[], ['chat'], [`x${PLAYER_PROTOCOL}`]]) {
      const ws = new WebSocket(`ws://127.0.0.1:${gate.port}/`, protocols);
      const seen: string[] = [];
      ws.on('message', data => seen.push((data as Buffer).toString()));
      ws.on('open', () => ws.send(gate.reserveToken()));
      const before = gate.admitted.length;
      await waitUntil(() => gate.admitted.length > before);
      const heard: unknown[] = [];
      gate.admitted.at(-1)!.message$.subscribe(message => heard.push(message));
      ws.send('');
      await waitUntil(() => heard.length === 1);
      gate.admitted.at(-1)!.send('only this');
      await waitUntil(() => seen.length === 1);
      deepStrictEqual([heard, seen], [[''], ['only this']]);
      ws.close();
    }
  });
});
