import { ok, strictEqual } from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { waitUntil } from '../wait-until.js';
import { connectRaw, frame, handshakeRequest } from './raw-client.js';

const SOCKETS = 1_000;
const MOST_BYTES_EACH = 64 * 1_024;

interface GateMemory {
  readonly memory: number;
  readonly open: number;
  readonly unread: number;
}

/** Starts gate-process.ts. */
async function startGate() {
  const main = join(import.meta.dirname, 'gate-process.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', main], { stdio: ['pipe', 'pipe', 'inherit'] });
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

const attacks: readonly (readonly [string, readonly Buffer[], number])[] = [
  ['are silent', [], SOCKETS],
  ['send 64 fragments', [Buffer.concat(fragments(64))], SOCKETS],
  [
    'send all but the last byte of what a first message may have',
    [frame(1, 'x'.repeat(16_384)).subarray(0, 16_384)],
    SOCKETS,
  ],
  ['send 100 KB of one-byte fragments', [Buffer.concat(fragments(15_000))], 0],
];

describe(`The memory of a gate with ${SOCKETS} sockets that have no token`, () => {
  for (const [what, pieces, stay] of attacks) {
    it(`stays below 64 KB each if they ${what}`, async () => {
      const gate = await startGate();
      const { memory } = await gate.measure(0);
      const clients = await Promise.all(
        Array.from({ length: SOCKETS }, async () => {
          const client = await connectRaw(gate.port, '/');
          await once(client, 'data');
          client.resume();
          for (const piece of pieces) client.write(piece);
          return client;
        }),
      );
      const bytes = [handshakeRequest('/'), ...pieces].reduce((sum, { length }) => sum + length, 0);
      let now = await gate.measure(bytes);
      const when = (condition: () => boolean) =>
        waitUntil(async () => {
          now = await gate.measure(bytes);
          return condition();
        });
      await when(() => now.unread === 0);
      const each = Math.round((now.memory - memory) / SOCKETS);
      console.log(`      ${each} bytes each`);
      ok(each < MOST_BYTES_EACH, `${each} bytes each`);
      // Those that are refused have a second to close.
      await when(() => now.open <= stay);
      strictEqual(now.open, stay);
      for (const client of clients) client.destroy();
      await gate.stop();
    });
  }
});
