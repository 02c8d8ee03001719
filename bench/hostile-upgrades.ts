import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { median } from './measure.js';
import type { Report } from './report.js';
import { replyOf } from './service-process.js';

const WARM_UP = 3;
const ROUNDS = 11;
const REQUESTS = 150;
const AT_ONCE = 10;
/** A connection that the server leaves open is given up after this time, in ms. */
const PATIENCE = 2_000;

/**
 * What a stranger sends: an upgrade request of at most 16 KB, which Node lets through, and perhaps
 * more once there is an answer.
 */
interface Shape {
  readonly path?: string;
  /** Further lines of the request. */
  readonly headers?: string;
  readonly edit?: (request: string) => string;
  readonly after?: Buffer;
}

const times = (count: number, make: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i));
const header = (name: string, value: string) => `${name}: ${value}\r\n`;
const NOTHING = Buffer.alloc(0);
/** A frame of less than 126 bytes, masked with zeros. */
const frame = (first: number, payload = NOTHING) =>
  Buffer.concat([Buffer.from([first, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
const x = Buffer.from('x');

const SHAPES: Readonly<Record<string, Shape>> = {
  'a plain handshake': {},
  '16 subprotocols': { headers: header('Sec-WebSocket-Protocol', times(16, i => `p${i}`).join()) },
  '2,500 subprotocols': { headers: header('Sec-WebSocket-Protocol', times(2_500, i => `p${i}`).join()) },
  '64 parameters': { path: `/?${times(64, i => `a${i}=b`).join('&')}` },
  '15,000 times &': { path: `/?${'&'.repeat(15_000)}` },
  '1,800 parameters that are percent-encoded': { path: `/?${times(1_800, () => '%74=%74').join('&')}` },
  'a path of 15 KB': { path: `/${'x'.repeat(15_000)}` },
  'a path of 15 KB that is percent-encoded': { path: `/${'%41'.repeat(5_000)}` },
  'a cookie of 15 KB': { headers: header('Cookie', `a=${'x'.repeat(15_000)}`) },
  '2,000 cookies': { headers: header('Cookie', times(2_000, i => `a${i}`).join('; ')) },
  '100 headers': { headers: times(90, i => header(`x${i}`, 'y')).join('') },
  '1,500 headers': { headers: times(1_500, i => header(`x${i}`, 'y')).join('') },
  '1,500 hops': { headers: header('X-Forwarded-For', times(1_500, () => '192.0.2.1').join()) },
  '500 extensions': {
    headers: header('Sec-WebSocket-Extensions', times(500, () => 'permessage-deflate').join()),
  },
  'a version that does not exist': { edit: request => request.replace('Version: 13', 'Version: 99') },
  'a key that is none': { edit: request => request.replace(/Key: .*/, 'Key: x') },
  'a POST': { edit: request => request.replace('GET', 'POST') },
  'data before the answer': { edit: request => request + 'x'.repeat(1_000) },
  '60 fragments': {
    after: Buffer.concat([frame(0x01, x), ...Array.from({ length: 59 }, () => frame(0, x))]),
  },
  '2,000 fragments': {
    after: Buffer.concat([frame(0x01, x), ...Array.from({ length: 1_999 }, () => frame(0, x))]),
  },
  '500 pings': { after: Buffer.concat(Array.from({ length: 500 }, () => frame(0x89, x))) },
  'a frame that is none': { after: frame(0xf1, x) },
  'text that is not UTF-8': { after: frame(0x81, Buffer.from([0xff, 0xfe])) },
  'a close frame': { after: frame(0x88) },
};

const WAITING = 1_000;

/** What a stranger sends who waits for as long as a gate lets them. */
const SILENCE: Readonly<Record<string, { readonly after: Buffer; readonly bound: number }>> = {
  'who are silent': { after: NOTHING, bound: 3.5 },
  'who have sent 14 KB of one message': {
    after: Buffer.concat([Buffer.from([0x81, 0xfe, 0x40, 0, 0, 0, 0, 0]), Buffer.alloc(14_336, 'x')]),
    bound: 1.7,
  },
};

/**
 * What a stranger costs a gate and ws alone: a request, in CPU time of the server, and who waits,
 * in memory; for the same bytes.
 */
export async function benchHostileUpgrades(report: Report): Promise<void> {
  const [gate, ws] = [await startServer('gate'), await startServer('ws')];
  report.heading(
    'One request of a stranger without a token, CPU time; × is beside ws alone, for the same bytes',
  );
  const costs = new Map<string, [gate: number, ws: number][]>();
  // All shapes in turn, since one that came before changes what the next one costs.
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    for (const [name, shape] of Object.entries(SHAPES)) {
      const cost: [gate: number, ws: number] = [await gate.costOf(shape), await ws.costOf(shape)];
      if (round >= WARM_UP) costs.set(name, [...(costs.get(name) ?? []), cost]);
    }
  }
  for (const [name, pairs] of costs) {
    const [ours, theirs] = [median(pairs.map(([ours]) => ours)), median(pairs.map(([, theirs]) => theirs))];
    // Garbage may be collected during either of them. What must not come back was forty times as
    // much.
    report.add({ name, value: ours * 1_000, unit: 'µs', ratio: ours / theirs, bound: 6, goal: 3 });
  }
  report.heading(`${WAITING} strangers who have sent no message yet, live memory of the server for each`);
  for (const [name, { after, bound }] of Object.entries(SILENCE)) {
    const [ours, theirs] = [await gate.memoryOf(after), await ws.memoryOf(after)];
    report.add({ name, value: ours, unit: 'KB', ratio: ours / theirs, bound });
  }
  for (const { stop } of [gate, ws]) stop();
}

async function startServer(kind: 'gate' | 'ws') {
  const child = fork(join(import.meta.dirname, 'upgrade-server.mjs'), [kind], { execArgv: ['--expose-gc'] });
  const { port } = (await replyOf(child)) as { port: number };
  const ask = async (question: 'cpu' | 'memory') =>
    ((await replyOf(child, { question })) as { value: number }).value;
  const cpu = () => ask('cpu');
  return {
    /** The CPU time of one request, in ms. */
    costOf: async (shape: Shape) => {
      const before = await cpu();
      let left = REQUESTS;
      const sendNext = async () => {
        while (left-- > 0) await send(port, shape);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, sendNext));
      return ((await cpu()) - before) / REQUESTS;
    },
    /** The memory of one who waits, in KB. */
    memoryOf: async (after: Buffer) => {
      const crowd = () => Promise.all(Array.from({ length: WAITING }, () => wait(port, after)));
      // What is kept after the first ones have left is not a stranger's.
      for (const socket of await crowd()) socket.destroy();
      await setTimeout(500);
      const before = await ask('memory');
      const waiting = await crowd();
      // What they have sent is read by then.
      await setTimeout(500);
      const memory = (await ask('memory')) - before;
      for (const socket of waiting) socket.destroy();
      return memory / WAITING / 1_024;
    },
    stop: () => child.disconnect(),
  };
}

/** Opens a WebSocket and sends this, and nothing more. */
async function wait(port: number, after: Buffer): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.write(requestOf({}));
  await once(socket, 'data');
  socket.resume().write(after);
  return socket;
}

/**
 * Sends a request, and leaves when it has been answered. Resolves once the server has closed the
 * connection.
 */
function send(port: number, shape: Shape): Promise<void> {
  const { after = NOTHING } = shape;
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined).setTimeout(PATIENCE, () => socket.destroy());
  socket.once('data', () => socket.end(after)).write(requestOf(shape));
  return new Promise(resolve => void socket.on('close', resolve));
}

function requestOf({ path = '/', headers = '', edit = request => request }: Shape): string {
  const lines = [
    `GET ${path} HTTP/1.1`,
    'Host: a',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
    `${headers}\r\n`,
  ];
  return edit(lines.join('\r\n'));
}
