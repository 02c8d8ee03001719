import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { fromEvent, Observable, type SchedulerLike } from 'rxjs';
import { aString, callHook } from '../call-hook.js';
import { forceClose } from '../socket/index.js';
import type { GateServer, GateSettings } from '../lobby-gate-config.js';
import { plainAddress } from '../limits/index.js';
import { inSeconds, REFUSALS, type Refusal } from '../report/index.js';

/** An upgrade request, with the arguments of Node's `upgrade` event. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

// Shared by all gates of this process, since a server may have several.
const gateListeners = new WeakSet();
const socketsWithErrorHandler = new WeakSet();
const claimedSockets = new WeakSet();

/**
 * The upgrade requests of a server for a path. Never completes. Those for other paths are left to
 * the server's other listeners. If they are all gates too, the last one answers 404 and logs it.
 */
export function upgrades(
  settings: Pick<GateSettings, 'server' | 'path' | 'addressOf' | 'report' | 'scheduler'>,
): Observable<Upgrade> {
  const { server, path, report, scheduler } = settings;
  const refuse = (request: IncomingMessage, socket: Duplex, refusal: Refusal) => {
    report.onRefused(refusal, refusal.status, addressOf(request, settings) ?? '');
    refuseUpgrade(socket, refusal, scheduler);
  };
  return new Observable(subscriber => {
    const listener = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (claimedSockets.has(socket) || subscriber.closed) return;
      // Also if the request is left to other listeners. An `error` event without a listener would
      // end the process.
      if (!socketsWithErrorHandler.has(socket)) socket.on('error', destroy);
      socketsWithErrorHandler.add(socket);
      const isOurs = path === undefined || path === request.url?.split('?', 1)[0];
      if (!isOurs) {
        if (isLastGate(server, listener)) refuse(request, socket, REFUSALS.noSuchPath);
        return;
      }
      claimedSockets.add(socket);
      if (isTooMuch(request)) refuse(request, socket, REFUSALS.noHandshake);
      else subscriber.next({ request, socket, head });
    };
    gateListeners.add(listener);
    // Before the others, so that the last gate knows whether one has claimed it.
    server.prependListener('upgrade', listener);
    const disallow = allowListener(server);
    return () => {
      server.off('upgrade', listener);
      disallow();
    };
  });
}

/** The address of a request. `undefined` if `addressOf` has failed. */
export function addressOf(
  request: IncomingMessage,
  settings: Pick<GateSettings, 'addressOf' | 'report'>,
): string | undefined {
  const address = callHook('addressOf', () => settings.addressOf(request), aString, settings);
  return address === undefined ? undefined : plainAddress(address);
}

/** Whether there is no listener after this one that may take a request, nor one that is no gate. */
function isLastGate(server: GateServer, listener: unknown): boolean {
  const listeners = server.listeners('upgrade');
  return listeners.at(-1) === listener && listeners.every(other => gateListeners.has(other));
}

/** Not a closure, since a listener of a socket must not keep its request in memory. */
function destroy(this: Duplex): void {
  this.destroy();
}

/**
 * Beyond these, a request costs more to read and to keep than its sender pays. No player sends so
 * much.
 */
const MAX_URL = 16_384;
const MAX_PARAMETERS = 64;
const MAX_PROTOCOLS = 16;
const MAX_HEADERS = 100;

function isTooMuch({ url = '', headers, rawHeaders }: IncomingMessage): boolean {
  const protocols = headers['sec-websocket-protocol'] ?? '';
  const hasMore = (text: string, separator: string, most: number) =>
    text.split(separator, most + 1).length > most;
  return (
    url.length > MAX_URL ||
    rawHeaders.length > 2 * MAX_HEADERS ||
    hasMore(url, '&', MAX_PARAMETERS) ||
    hasMore(protocols, ',', MAX_PROTOCOLS)
  );
}

/**
 * Answers an upgrade request with an HTTP status, the reason as the body, and closes its
 * connection.
 */
export function refuseUpgrade(
  socket: Duplex,
  { status, reason, retryAfter }: Refusal,
  scheduler: SchedulerLike,
): void {
  socket.once('finish', () => socket.destroy());
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: text/plain',
    `Content-Length: ${Buffer.byteLength(reason)}`,
    ...(retryAfter === undefined ? [] : [`Retry-After: ${inSeconds(retryAfter)}`]),
  ];
  // Even if the client does not read the answer.
  forceClose(() => socket.destroy(), fromEvent(socket, 'close'), scheduler);
  socket.end(`${lines.join('\r\n')}\r\n\r\n${reason}`);
}

/**
 * Raises the number of listeners above which Node warns of a leak. Each gate adds listeners, and so
 * do its figures. Returns the function that lowers it again.
 */
function allowListener(server: GateServer): () => void {
  const change = (by: 1 | -1) => {
    const most = server.getMaxListeners();
    // 0 is no limit.
    if (most > 0) server.setMaxListeners(most + by);
  };
  change(1);
  return () => change(-1);
}

/** Emits when a server has closed. */
export function closeOf(server: GateServer): Observable<void> {
  return new Observable(subscriber => {
    const disallow = allowListener(server);
    const listener = () => subscriber.next();
    server.on('close', listener);
    return () => {
      server.off('close', listener);
      disallow();
    };
  });
}
