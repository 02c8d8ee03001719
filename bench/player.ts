// A fresh process that opens connections of one kind, and says on command what they take.
import { WebSocket } from 'ws';
import { lobbyConnection } from 'lobby-rx';
import { heap } from './measure.js';
import { openPartySocket, openSocketIo } from './peers.js';
import type { PlayerKind } from './players.js';

const [, , kind, port] = process.argv;
const url = `ws://127.0.0.1:${port}`;
const kept: unknown[] = [];

/** Each resolves to its connection once that is open. */
const openers: Record<PlayerKind, () => Promise<unknown>> = {
  lobbyConnection: () =>
    new Promise(resolve => {
      const connection = lobbyConnection({ url: `${url}/gate`, token: `t${kept.length}` }, { WebSocket });
      connection.status$.subscribe(({ state }) => {
        if (state === 'live') resolve(connection);
      });
      connection.subscribe();
    }),
  'a socket of ws': () =>
    new Promise(resolve => {
      const socket = new WebSocket(url);
      socket.onopen = () => resolve(socket);
      socket.onmessage = () => undefined;
    }),
  partysocket: () => openPartySocket(url, WebSocket),
  'socket.io-client': () => openSocketIo(Number(port)),
};

async function open(count: number): Promise<void> {
  for (let i = 0; i < count; i++) kept.push(await openers[kind as PlayerKind]());
  process.send?.({ heap: heap() });
}

process.on('message', ({ open: count }: { readonly open: number }) => void open(count));
process.on('disconnect', () => process.exit());
