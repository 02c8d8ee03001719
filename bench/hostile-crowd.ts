import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An address of this machine that no honest client uses. */
const ADDRESS = '127.0.0.66';

/** How long one waits before it connects again, in ms: they run in the process of the gate, and must leave some of it to that. */
const PAUSE = 1_000;

/** Hostile clients of a gate, from one address, until they are stopped. */
export interface HostileCrowd {
  /** How many of their connections have been closed by the gate so far. */
  readonly closed: () => number;
  readonly stop: () => void;
}

/**
 * Silent sockets, ones that send a first message in fragments of one byte, and ones with a token that nobody has issued. When one
 * is closed, another one connects a second later. Resolves when all of the first ones have connected.
 */
export async function hostileCrowd(
  port: number,
  counts: Readonly<Record<'silent' | 'fragments' | 'junk', number>>,
): Promise<HostileCrowd> {
  const sockets = new Set<Socket>();
  let [closed, isStopped, tokens] = [0, false, 0];

  const open = (kind: string): Promise<unknown> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: ADDRESS });
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      closed++;
      if (!isStopped) setTimeout(() => isStopped || void open(kind), PAUSE).unref();
    });
    socket.write(handshake(kind === 'junk' ? `/?token=junk-${tokens++}` : '/'));
    if (kind === 'fragments')
      socket.write(Buffer.concat([FIRST, ...Array.from({ length: 2_000 }, () => NEXT)]));
    socket.resume();
    return once(socket, 'connect');
  };
  const kinds = Object.entries(counts).flatMap(([kind, count]) => Array.from({ length: count }, () => kind));
  await Promise.allSettled(kinds.map(open));
  return {
    closed: () => closed,
    stop: () => {
      isStopped = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The first fragment of a message that never ends, and the next ones. */
const FIRST = Buffer.from([0x01, 0x81, 0, 0, 0, 0, 0x78]);
const NEXT = Buffer.from([0x00, 0x81, 0, 0, 0, 0, 0x78]);

const handshake = (path: string) =>
  [
    `GET ${path} HTTP/1.1`,
    ...['Host: a', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
    `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
    '\r\n',
  ].join('\r\n');
