// Not with the first request: Node remembers a failed import for as long as it lives, such as one
// for want of files.
import crossFetch from 'cross-fetch';
import type { Agent, ClientRequest } from 'node:http';
import type { Readable } from 'node:stream';
import { causeOf, MAX_CAUSES } from '../../error/index.js';
import type { Send } from '../send.js';
import { createAgents, dropIdleSockets, freshness } from './agents.js';
import { sendInDeno } from './send-in-deno.js';
import { Exchange, type SendInit } from './exchange.js';
import { nodeRequest } from './node-request.js';
import { sendByHttp } from './send-by-http.js';

const agentFor = createAgents();

/** Sends in Node, and in the runtimes that load the files for Node: Bun and Deno. */
export const platformFetch: Send = sendOf(process.versions);

function sendOf(versions: Readonly<Record<string, string | undefined>>): Send {
  // The `fetch` of Bun 1.4.5 has 256 requests open at most. All others wait, also a POST.
  if ('bun' in versions) return sendByHttp(agentFor);
  // The `node:http` of Deno 2.9.6 leaves aborted requests open.
  if ('deno' in versions) return sendInDeno;
  return Exchange.sendBy(start);
}

/**
 * Each `http.request` that gives its requests to their agent. What replaces it, to mock it, may
 * not.
 */
const observed = new WeakSet<ReturnType<typeof nodeRequest>>();

/**
 * Starts a request of cross-fetch's, and takes it over. It observes each connection itself, because
 * node-fetch never settles if the connection breaks in the middle of a body with a Content-Length.
 */
function start(
  exchange: Exchange,
  url: string,
  init: SendInit,
  mayReuse: boolean,
): Promise<void> | undefined {
  const shared = agentFor(url, mayReuse);
  if (init.needsFreshConnection) dropIdleSockets(shared, url);
  let started: ClientRequest | undefined;
  const agent = observable(shared, request => {
    started = request;
  });
  const request = nodeRequest(url);
  // A request that is observed is aborted directly, which costs less than a signal.
  const signal = observed.has(request) ? undefined : exchange.signal();
  const headers = { 'accept-encoding': 'gzip', ...freshness(init.method), ...init.headers };
  const answered = crossFetch(url, { compress: false, agent, signal, ...init, headers } as object);
  if (!started) return readHidden(exchange, answered);
  observed.add(request);
  answered.catch(() => undefined);
  exchange.follow(takenOver(started));
  return undefined;
}

/** The answer to a request that never reached its agent. */
async function readHidden(exchange: Exchange, answered: Promise<Response>): Promise<void> {
  const { status, headers, body } = await answered;
  exchange.readHidden({ status, headers }, body as unknown as Readable);
}

/** What Node's types omit. The agent-base package relies on it as well. */
interface AgentInternals extends Agent {
  addRequest(request: ClientRequest, options: object): void;
}

/** An agent for one request, which it tells of. cross-fetch starts a request before it returns. */
function observable(shared: Agent, onStart: (request: ClientRequest) => void): Agent {
  return Object.assign(Object.create(shared) as AgentInternals, {
    addRequest: (request: ClientRequest, options: object) => {
      onStart(request);
      // The socket keeps these options for as long as it lives.
      (shared as AgentInternals).addRequest(request, { ...options, agent: shared });
    },
  });
}

/**
 * Takes a request over from node-fetch, which would throw a complete answer away if more bytes
 * follow it.
 */
function takenOver(request: ClientRequest): ClientRequest {
  Object.assign(request, { abort: () => undefined });
  return request.on('response', incoming => incoming.unpipe());
}

/**
 * Codes of errors before any connection was made, after which the server cannot have seen the
 * request: those of Node, its DNS client, undici and Bun.
 */
const UNREACHABLE = new RegExp(
  `^(${[
    'EAI_.*|ENOTFOUND|ENODATA|ENONAME|ENOTIMP|EFORMERR|ESERVFAIL|EREFUSED|EBAD(QUERY|NAME|FAMILY|RESP|STR|FLAGS|HINTS)',
    'ETIMEOUT|ECANCELLED|EFILE|EDESTRUCTION|ENOTINITIALIZED|ELOADIPHLPAPI|EADDRGETNETWORKPARAMS',
    'ERR_INVALID_IP_ADDRESS|ERR_INVALID_ADDRESS_FAMILY',
    'EMFILE|ENFILE|EADDRINUSE|EADDRNOTAVAIL|EAFNOSUPPORT|EHOSTUNREACH|ENETUNREACH|ECONNREFUSED',
    'ERR_SOCKET_CONNECTION_TIMEOUT|UND_ERR_CONNECT_TIMEOUT|ERR_PROXY_TUNNEL|ConnectionRefused|FailedToOpenSocket',
    'CERT_.*|CRL_.*|ERR_TLS_.*|.*_CERT.*|UNABLE_TO_.*|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED',
  ].join('|')})$`,
);

/** Where Node failed, if that was before a connection: any code will do then, even `ETIMEDOUT`. */
const CONNECTING = /^(getaddrinfo|query[A-Z]\w*|bind|connect)$/;

/** Where Node failed, if that was on a connection, which a router may call unreachable later. */
const CONNECTED = /^(read|write|shutdown)$/;

/**
 * Whether an error, its cause, or all of the errors that it combines say that no connection was
 * made.
 */
export function isUnconnected(error: unknown, depth = 0): boolean {
  if (depth > MAX_CAUSES || typeof error !== 'object' || error === null) return false;
  const { code, syscall, errors } = error as Readonly<Record<string, unknown>>;
  if (Array.isArray(errors) && errors.length > 0) return errors.every(each => isUnconnected(each, depth + 1));
  if (typeof syscall === 'string' && CONNECTING.test(syscall)) return true;
  if (typeof code !== 'string') return isUnconnected(causeOf(error), depth + 1);
  return UNREACHABLE.test(code) && !(typeof syscall === 'string' && CONNECTED.test(syscall));
}
