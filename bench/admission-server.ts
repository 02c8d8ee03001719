// A lobby server in a process of its own, with a gate that asks the service about each player. It
// echoes what players send, and says on command how much CPU time it has used, in ms, or how much
// memory is live, in bytes.
import { once } from 'node:events';
import {
  Agent as HttpAgent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { createClient } from 'lobby-rx';
import { lobbyGate, type PlayerSocket } from 'lobby-rx/lobby-server';
import { fromHttp } from 'lobby-rx/node';
import { serveColyseus, serveSocketIo, type ConfirmPlayer } from './peers.js';

/** The servers, by what guards them. Those of one kind differ in how they send requests. */
export const GATES = {
  'lobby-rx': (server, url) => serveGate(server, url),
  'lobby-rx, fromHttp': (server, url) => serveGate(server, url, { transport: fromHttp() }),
  'by hand': (server, url) => serveByHand(server, confirmWith(post, url)),
  'by hand, fetch with kept sockets': (server, url) => serveByHand(server, confirmWith(postWithFetch, url)),
  'ws alone': server => void new WebSocketServer({ server, maxPayload: 65_536 }).on('connection', echo),
  'socket.io': (server, url) => void serveSocketIo(server, confirmWith(post, url)),
  '@colyseus/core': (server, url) => serveColyseus(server, confirmWith(post, url)),
} satisfies Record<string, (server: Server, url: string) => void | Promise<void>>;
export type GateName = keyof typeof GATES;

/** What the process is asked, and what it answers. */
export type Question = 'cpu' | 'memory';

function serveGate(server: Server, url: string, options: object = {}): void {
  const client = createClient({ matchmakerUrl: url, token: 'a-lobby-token', ...options });
  const serve = (player: PlayerSocket) => player.message$.subscribe(message => player.send(message));
  lobbyGate({ server, client, token: 'query' }).subscribe(serve);
}

const echo = (ws: WebSocket) =>
  void ws.on('error', () => ws.terminate()).on('message', data => ws.send(data));

/**
 * What the gate promises, for tokens in the URL, as one would write it: nothing is asked twice,
 * kept too long, or without a bound.
 */
function serveByHand(server: Server, confirm: ConfirmPlayer): void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 65_536 });
  const inUse = new Set<string>();
  const refused = new Map<string, number>();
  const checking = new Map<string, number>();
  const admit = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const refuse = (status: string) =>
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    const token = new URL(request.url ?? '/', 'http://gate').searchParams.get('token');
    const address = request.socket.remoteAddress ?? '';
    const asked = checking.get(address) ?? 0;
    if (!token || token.length > 8_192) return void refuse('401 Unauthorized');
    if (inUse.has(token) || (refused.get(token) ?? 0) > Date.now()) return void refuse('403 Forbidden');
    if (asked >= 256) return void refuse('503 Service Unavailable');
    inUse.add(token);
    checking.set(address, asked + 1);
    const isPlayer = await confirm(token).catch(() => undefined);
    if (checking.get(address) === 1) checking.delete(address);
    else checking.set(address, checking.get(address)! - 1);
    if (!isPlayer || socket.destroyed) {
      inUse.delete(token);
      if (isPlayer === false) refused.set(token, Date.now() + 60_000);
      if (refused.size > 10_000) refused.delete(refused.keys().next().value!);
      return void refuse(isPlayer === false ? '401 Unauthorized' : '503 Service Unavailable');
    }
    sockets.handleUpgrade(request, socket, head, ws => {
      ws.on('close', () => inUse.delete(token));
      echo(ws);
    });
  };
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    void admit(request, socket, head);
  });
}

const headers = { authorization: 'Bearer a-lobby-token', 'content-type': 'application/json' };
const isOk = (status: number, text: string) => {
  if (status === 400) return false;
  if (status !== 200 || typeof JSON.parse(text) !== 'object') throw new Error(`answered ${status}`);
  return true;
};
const confirmWith =
  (send: (url: string, player_token: string) => Promise<boolean>, url: string): ConfirmPlayer =>
  player_token =>
    send(`${url}/v1/players/connected`, player_token);

const [httpOnce, httpsOnce] = [new HttpAgent({ keepAlive: false }), new HttpsAgent({ keepAlive: false })];

/**
 * Each request with a connection of its own: what it has done is known, unlike that of one which
 * dies on a kept one.
 */
function post(url: string, player_token: string): Promise<boolean> {
  const [send, agent] = url.startsWith('https:') ? [httpsRequest, httpsOnce] : [httpRequest, httpOnce];
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(15_000);
    const request = send(url, { method: 'POST', headers, signal, agent }, response => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (text.length > 65_536) request.destroy(new Error('too large'));
      });
      response.on('error', reject).on('end', () => {
        try {
          resolve(isOk(response.statusCode!, text));
        } catch (error) {
          reject(error);
        }
      });
    });
    request.on('error', reject).end(JSON.stringify({ player_token }));
  });
}

async function postWithFetch(url: string, player_token: string): Promise<boolean> {
  const body = JSON.stringify({ player_token });
  const signal = AbortSignal.timeout(15_000);
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body,
    signal,
    redirect: 'error',
  });
  return isOk(response.status, await response.text());
}

const [, , name, url] = process.argv as [string, string, GateName, string];
const server = createServer();
await GATES[name](server, url);
if (!server.listening) await once(server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }), 'listening');
process.on('message', ({ question }: { question: Question }) => {
  const { user, system } = process.cpuUsage();
  if (question === 'memory') for (let i = 0; i < 3; i++) global.gc!();
  const { heapUsed, external } = process.memoryUsage();
  process.send!({ value: question === 'cpu' ? (user + system) / 1_000 : heapUsed + external });
});
process.on('disconnect', () => process.exit());
process.send!({ port: (server.address() as AddressInfo).port });
