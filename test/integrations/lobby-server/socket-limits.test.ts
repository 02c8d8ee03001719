import { deepStrictEqual, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { firstValueFrom } from 'rxjs';
import { createClient } from 'lobby-rx';
import { lobbyGate } from 'lobby-rx/lobby-server';
import { connectRaw, frame } from './raw-client.js';
import { waitUntil } from '../../wait-until.js';
import { openGate, type OpenGate } from './gate.js';

describe('lobbyGate and messages in small pieces', () => {
  let gate: OpenGate;
  afterEach(() => gate.close());

  /** The code of the first close frame. All frames that the gate sends here are short. */
  const closeCode = (client: Socket) =>
    new Promise<number>(resolve => {
      let unread = Buffer.alloc(0);
      client.on('data', (data: Buffer) => {
        unread = Buffer.concat([unread, data]);
        for (let size = 0; unread.length > 3; unread = unread.subarray(size)) {
          size = 2 + unread[1]!;
          if (unread.length < size) return;
          if (unread[0] === 0x88) resolve(unread.readUInt16BE(2));
        }
      });
    });
  const open = async (token: string) => {
    const client = await connectRaw(gate.port, token ? `/?token=${token}` : '/');
    await once(client, 'data');
    return client;
  };
  const fragments = (count: number) =>
    Buffer.concat([
      frame(1, 'x', false),
      ...Array.from({ length: count - 2 }, () => frame(0, 'x', false)),
      frame(0, 'x', true),
    ]);

  const limits: readonly (readonly [string, object, number])[] = [
    ['one fragment per KiB of maxPayload', {}, 64],
    ['16 fragments of small messages', { maxPayload: 100 }, 16],
  ];
  for (const [what, config, most] of limits) {
    it(`takes ${what}, and closes with 1008 beyond it`, async () => {
      gate = await openGate(config);
      const received: unknown[] = [];
      const client = await open(gate.reserveToken());
      await waitUntil(() => gate.admitted.length === 1);
      const [socket] = gate.admitted;
      socket!.message$.subscribe(message => received.push(message));
      const code = closeCode(client);
      client.write(fragments(most));
      await waitUntil(() => received.length === 1);
      client.write(fragments(most + 1));
      deepStrictEqual([await code, received], [1008, ['x'.repeat(most)]]);
      client.destroy();
    });
  }

  it('closes with 1008 if a frame comes in too many pieces', async () => {
    gate = await openGate({ maxPayload: 200 });
    const accepted = once(gate.server, 'connection') as Promise<[Socket]>;
    const client = await open(gate.reserveToken());
    const [gateSocket] = await accepted;
    client.setNoDelay(true);
    const code = closeCode(client);
    const bytes = frame(1, 'x'.repeat(100));
    client.write(bytes.subarray(0, 10));
    for (let i = 10; i < bytes.length; i++) {
      // Each byte arrives by itself.
      const { bytesRead } = gateSocket;
      client.write(bytes.subarray(i, i + 1));
      await waitUntil(() => gateSocket.bytesRead > bytesRead || gateSocket.destroyed);
    }
    strictEqual(await code, 1008);
    client.destroy();
  });

  it('closes with 1009 if the first message takes more than 16,384 bytes, whatever they are', async () => {
    gate = await openGate({ token: 'message' });
    const ping = frame(9, 'x'.repeat(100));
    for (const start of [frame(1, 'x', false), ping]) {
      const client = await open('');
      const code = closeCode(client);
      client.write(start);
      for (let wave = 0; wave < 4; wave++) {
        // ws answers 60 pings at once.
        const { bytesRead } = client;
        client.write(Buffer.concat(Array.from({ length: 38 }, () => ping)));
        await waitUntil(() => client.bytesRead > bytesRead + 37 * 102);
      }
      client.write(Buffer.concat([ping, ping, ping]));
      strictEqual(await code, 1009);
      client.destroy();
    }
    deepStrictEqual(
      gate.log.map(entry => entry.kind === 'refused' && [entry.code, entry.reason]),
      [
        [1009, 'too_large'],
        [1009, 'too_large'],
      ],
    );
  });

  it('does not count what follows the first message', async () => {
    gate = await openGate({ token: 'message' });
    const client = await open('');
    client.write(Buffer.concat([frame(1, gate.reserveToken()), frame(1, 'x'.repeat(50_000))]));
    await waitUntil(() => gate.admitted.length === 1);
    const received: unknown[] = [];
    gate.admitted[0]!.message$.subscribe(message => received.push(message));
    await waitUntil(() => received.length === 1);
    client.destroy();
  });
});

describe('lobbyGate and players who are half-open', () => {
  let gate: OpenGate;
  afterEach(() => gate.close());

  /** A player who answers nothing any more, and how their socket is closed. */
  const halfOpen = async () => {
    const client = await connectRaw(gate.port, `/?token=${gate.reserveToken()}`);
    await once(client, 'data');
    await waitUntil(() => gate.admitted.length === 1);
    const closed = firstValueFrom(gate.admitted[0]!.closed$);
    const hasLeft = once(client, 'close');
    return { client, player: gate.admitted[0]!, closed, hasLeft };
  };

  it('disconnects one who does not answer a close frame after `closeTimeout`, so that no shutdown waits for them', async () => {
    gate = await openGate();
    const { player, closed, hasLeft } = await halfOpen();
    player.close(1001, 'the lobby closes');
    gate.pass(2_999);
    await new Promise(setImmediate);
    deepStrictEqual(gate.left, []);
    gate.pass(1);
    await hasLeft;
    deepStrictEqual(await closed, { code: 1001, reason: 'the lobby closes' });
    await waitUntil(() => gate.left.length === 1);
  });

  it('disconnects one at once by terminate(), also after close()', async () => {
    for (const isClosed of [false, true]) {
      gate = await openGate();
      const { player, closed, hasLeft } = await halfOpen();
      if (isClosed) player.close(4000, 'kicked');
      player.terminate();
      await hasLeft;
      deepStrictEqual((await closed).code, isClosed ? 4000 : 1006);
      player.terminate();
      if (!isClosed) await gate.close();
    }
  });
});

describe('lobbyGate and the listeners of its server', () => {
  it('causes no warning, however many gates and readers of figures there are', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const server = createServer();
    const client = createClient({ url: 'http://127.0.0.1:1', token: 't' });
    const gates = Array.from({ length: 12 }, (_, i) => lobbyGate({ server, client, path: `/${i}` }));
    const following = gates.flatMap(gate => [
      gate.subscribe(),
      gate.stats$.subscribe(),
      gate.stats$.subscribe(),
    ]);
    await new Promise(setImmediate);
    for (const each of following) each.unsubscribe();
    process.off('warning', onWarning);
    deepStrictEqual([warnings, server.getMaxListeners(), server.listenerCount('close')], [[], 10, 0]);
  });
});
