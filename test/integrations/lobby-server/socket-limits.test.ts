import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import type { Socket } from 'node:net';
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
        while (unread.length > 3) {
          const size = 2 + unread[1]!;
          if (unread.length < size) return;
          if (unread[0] === 0x88) resolve(unread.readUInt16BE(2));
          unread = unread.subarray(size);
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

  const limits = [
    { what: 'one fragment per KiB of maxPayload', config: {}, most: 64 },
    { what: '16 fragments of small messages', config: { maxPayload: 100 }, most: 16 },
  ];
  for (const { what, config, most } of limits) {
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
      strictEqual(await code, 1008);
      deepStrictEqual(received, ['x'.repeat(most)]);
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

  const MAX_FIRST_MESSAGE_BYTES = 16_384;
  const ping = frame(9, 'x'.repeat(100));
  /** A server's frame has no mask. */
  const PONG_BYTES = ping.length - 4;
  /** ws closes a socket that has more than 60 pings to answer. */
  const PINGS_AT_ONCE = 50;

  /** Sends pings, and waits for their answers. */
  const sendPings = async (client: Socket, count: number) => {
    let left = count;
    while (left > 0) {
      const pings = Array.from({ length: Math.min(left, PINGS_AT_ONCE) }, () => ping);
      const bytesRead = client.bytesRead + pings.length * PONG_BYTES;
      client.write(Buffer.concat(pings));
      await waitUntil(() => client.bytesRead >= bytesRead);
      left -= pings.length;
    }
  };

  const starts = [
    { what: 'pings', start: Buffer.alloc(0) },
    { what: 'a fragment and pings', start: frame(1, 'x', false) },
  ];
  for (const { what, start } of starts) {
    it(`closes with 1009 if 16,384 bytes have no complete message: ${what}`, async () => {
      gate = await openGate({ token: 'message' });
      const client = await open('');
      const code = closeCode(client);
      client.write(start);
      await sendPings(client, Math.floor((MAX_FIRST_MESSAGE_BYTES - start.length) / ping.length));
      strictEqual(gate.log.length, 0);
      client.write(ping);
      strictEqual(await code, 1009);
      const [entry] = gate.log;
      ok(entry?.kind === 'refused');
      deepStrictEqual([entry.code, entry.reason], [1009, 'too_large']);
      client.destroy();
    });
  }

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
