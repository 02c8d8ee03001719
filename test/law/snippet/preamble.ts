// Runs before a snippet, in its process: makes the assumed names global, and sends players to its
// gate.
import { createServer, Server as HttpServer } from 'node:http';
import { Server, type AddressInfo } from 'node:net';
import { createClient } from 'lobby-rx';
import { WebSocket as NodeWebSocket, type ClientOptions } from 'ws';
import type { SnippetNames } from './names.js';

const { LOBBY_RX_URL: url = '', LOBBY_RX_TOKEN: token = '', ...env } = process.env;
const { LOBBY_RX_GROUP: group_id = '', SNIPPET_IDENTITY: identity_id = '' } = env;
const { SNIPPET_PLAYER: player_token = '', SNIPPET_LOBBY: lobbyUrl = '' } = env;

/** Replaces `console.log` in a snippet: reports that the one at this place was called. */
const shownAt =
  (place: number) =>
  (...values: readonly unknown[]) => {
    console.log(...values);
    process.send?.(place);
  };

/** The login of a player whose token expires. */
const session = {
  token,
  renew: () => {
    session.token = process.env.LOBBY_RX_TOKEN!;
    return Promise.resolve(session.token);
  },
};

const names: SnippetNames = {
  client: createClient({ url, token: { get: () => session.token, renew: () => session.renew() } }),
  group_id,
  identity_id,
  player_token,
  session,
  savedCheckpoint: undefined,
  save: () => Promise.resolve(),
  server: createServer(),
  socket: { close: () => undefined },
  admit: () => undefined,
  reload: () => undefined,
  connect: () => undefined,
};

/**
 * As in a browser, nobody has to handle its errors. The lobbies of the emulator's world do not
 * exist.
 */
class WebSocket extends NodeWebSocket {
  constructor(address: string | URL, protocols?: string | string[], options?: ClientOptions) {
    super(/\.example\b/.test(String(address)) ? lobbyUrl : address, protocols, options);
    this.on('error', () => undefined);
  }
}

Object.assign(globalThis, { ...names, shownAt, WebSocket });

// A snippet gets a free port, only for this machine, instead of the one that it asks for.
const { listen } = Server.prototype as { listen: (...args: unknown[]) => Server };
Server.prototype.listen = function (this: Server, ...args: unknown[]) {
  this.once('listening', () => {
    if (this instanceof HttpServer) setImmediate(visit, this);
  });
  return listen.call(
    this,
    0,
    '127.0.0.1',
    args.find(one => typeof one === 'function'),
  );
};
names.server.listen().unref();

/** Two players come to a gate: one says hello and leaves, the other is turned away. */
function visit(server: HttpServer): void {
  if (server.listenerCount('upgrade') === 0) return;
  const { port } = server.address() as AddressInfo;
  const to = (token: string) => `ws://127.0.0.1:${port}/play?name=Ada&token=${token}`;
  const welcome = new WebSocket(to(player_token));
  welcome.on('open', () => {
    welcome.send(player_token);
    welcome.send('Hello.');
  });
  welcome.on('message', () => welcome.close(1000));
  const nobody = new WebSocket(to('nobody'));
  nobody.on('open', () => nobody.send('nobody'));
}

process.on('message', message => {
  if (message !== 'end') {
    // What one gets by signing in again, once the last token has expired.
    const known = process.env.LOBBY_RX_TOKEN;
    process.env.LOBBY_RX_TOKEN = message as string;
    return process.send?.({ known });
  }
  // A program that shuts down gracefully has to exit by itself.
  if (!process.emit('SIGTERM')) process.exit();
});
process.channel?.unref();
