import { ok, strictEqual } from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { constants, deflateRawSync } from 'node:zlib';
import { waitUntil } from '../../wait-until.js';
import { connectRaw, frame, handshakeRequest } from './raw-client.js';

const SOCKETS = 1_000;
/** In KB: what docs/gate.md says. */
const MOST = 64;
const MOST_WITH_DEFLATE = 128;

interface GateMemory {
  readonly memory: number;
  readonly open: number;
  readonly unread: number;
}

/** Starts gate-process.ts. */
async function startGate(isDeflating: boolean) {
  const main = join(import.meta.dirname, 'gate-process.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', main, ...(isDeflating ? ['--deflate'] : [])], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const read = async () => JSON.parse(String((await lines.next()).value)) as unknown;
  const { port } = (await read()) as { port: number };
  return {
    port,
    measure: async (bytes: number) => {
      child.stdin.write(`${bytes}\n`);
      return (await read()) as GateMemory;
    },
    stop: async () => {
      child.stdin.end();
      await once(child, 'close');
    },
  };
}

const fragments = (count: number) =>
  Array.from({ length: count }, (_, i) => frame(i === 0 ? 1 : 0, 'x', false));

const allButOneByte = frame(1, 'x'.repeat(16_384)).subarray(0, 16_384);
const inPieces = Array.from({ length: 120 }, (_, i) => allButOneByte.subarray(i * 136, (i + 1) * 136));
const longHeader = `x: ${'y'.repeat(15_000)}\r\n`;
/** More than the gate keeps. Each costs more than its bytes. */
const manyHeaders = Array.from({ length: 1_500 }, (_, i) => `x${i.toString(36)}: y\r\n`).join('');
const DEFLATE = 'Sec-WebSocket-Extensions: permessage-deflate\r\n';
/** The first fragment of a message that is compressed (RSV1), with what is left of it. */
const compressed = (text: string) => {
  const first = frame(
    1,
    deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1'),
    false,
    'latin1',
  );
  first[0]! |= 0x40;
  return first;
};

interface Attack {
  readonly pieces?: readonly Buffer[];
  readonly headers?: string;
  /** How many of them the gate keeps. Default: all. */
  readonly stay?: number;
  readonly isDeflating?: boolean;
}

const attacks: Readonly<Record<string, Attack>> = {
  'are silent': {},
  'send 64 fragments': { pieces: [Buffer.concat(fragments(64))] },
  'send all but the last byte of what a first message may have': { pieces: [allButOneByte] },
  'do so in pieces': { pieces: inPieces },
  'do so after a header of 15 KB': { pieces: [allButOneByte], headers: longHeader },
  'send 64 fragments after a header of 15 KB': {
    pieces: [Buffer.concat(fragments(64))],
    headers: longHeader,
  },
  'send 100 KB of one-byte fragments': { pieces: [Buffer.concat(fragments(15_000))], stay: 0 },
  'send 1,500 headers': { headers: manyHeaders, stay: 0 },
  'send what is to be inflated, after a header of 15 KB': {
    pieces: [compressed('x'.repeat(60_000))],
    headers: DEFLATE + longHeader,
    isDeflating: true,
  },
};

describe(`The memory of a gate with ${SOCKETS} sockets that have no token`, () => {
  for (const [what, attack] of Object.entries(attacks)) {
    const { pieces = [], headers = '', stay = SOCKETS, isDeflating = false } = attack;
    const most = isDeflating ? MOST_WITH_DEFLATE : MOST;
    it(`stays below ${most} KB each if they ${what}`, async () => {
      const gate = await startGate(isDeflating);
      const { memory } = await gate.measure(0);
      const clients = await Promise.all(
        Array.from({ length: SOCKETS }, async () => {
          const client = await connectRaw(gate.port, '/', '', headers);
          await once(client, 'data');
          client.resume().setNoDelay();
          for (const piece of pieces) {
            client.write(piece);
            if (pieces.length > 1) await setImmediate();
          }
          return client;
        }),
      );
      const bytes = [handshakeRequest('/'), headers, ...pieces].reduce((sum, { length }) => sum + length, 0);
      let now = await gate.measure(bytes);
      // Those that are refused have a second to close.
      await waitUntil(async () => {
        now = await gate.measure(bytes);
        return now.unread === 0 && now.open <= stay;
      });
      strictEqual(now.open, stay);
      const each = Math.round((now.memory - memory) / SOCKETS);
      console.log(`      ${each} bytes each`);
      ok(each < most * 1_024, `${each} bytes each`);
      for (const client of clients) client.destroy();
      await gate.stop();
    });
  }
});
