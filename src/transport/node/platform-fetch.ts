import type { fetch } from 'cross-fetch';
import http, { type Agent, type ClientRequest } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { TransportError, type RequestSummary } from '../../error/index.js';
import type { Send, SentResponse } from '../fetch-like.js';
import { platformFetch as nativeFetch } from '../platform-fetch.js';
import { createAgents, dropIdleSockets, isTls } from './agents.js';
import type { Exchange } from './exchange.js';
import { retriedOnReuse, type SendInit } from './retried-on-reuse.js';

/**
 * Sends with cross-fetch and keep-alive, in Node. It observes each connection itself, because node-fetch never settles if the
 * connection breaks in the middle of a body with a Content-Length.
 *
 * Bun and Deno take the files for Node, too, but what they have in its place leaves aborted requests open.
 */
export const platformFetch: Send =
  'bun' in process.versions || 'deno' in process.versions ? nativeFetch : retriedOnReuse(sendOnce);

/** Loaded with the first request: it takes longer to load than the rest of this library. */
let loadedFetch: typeof fetch | undefined;

async function loadFetch(request: RequestSummary): Promise<typeof fetch> {
  try {
    return (loadedFetch ??= (await import('cross-fetch')).default);
  } catch (cause) {
    throw new TransportError('not_sent', 'nothing was sent: cross-fetch cannot be loaded', request, {
      cause,
    });
  }
}

const agentFor = createAgents();

/** Each `http.request` that gives its requests to their agent. What replaces it, to mock it, may not. */
const observed = new WeakSet<typeof http.request>();

async function sendOnce(
  exchange: Exchange,
  url: string,
  init: SendInit,
  mayReuse: boolean,
): Promise<SentResponse> {
  const crossFetch = loadedFetch ?? (await loadFetch({ method: init.method, url }));
  if (exchange.isAborted) throw new Error('aborted');
  const shared = agentFor(url, mayReuse);
  if (init.needsFreshConnection) dropIdleSockets(shared, url);
  let started: ClientRequest | undefined;
  const agent = observable(shared, request => (started = request));
  const { request } = isTls(url) ? https : http;
  // A request that is observed is aborted directly, which costs less than a signal.
  if (!observed.has(request)) exchange.controller = new AbortController();
  const signal = exchange.controller?.signal;
  const headers = { 'accept-encoding': 'gzip', ...init.headers };
  const answered = crossFetch(url, { compress: false, agent, signal, ...init, headers } as object);
  if (started) {
    observed.add(request);
    answered.catch(() => undefined);
    return exchange.answerTo(takenOver(started));
  }
  const { status, headers: received, body } = await answered;
  const eachPart = exchange.eachPartOf(body as unknown as Readable, received.get('content-encoding'));
  return { status, headers: received, eachPart };
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
      (shared as AgentInternals).addRequest(request, options);
    },
  });
}

/** Takes a request over from node-fetch, which would throw a complete answer away if more bytes follow it. */
function takenOver(request: ClientRequest): ClientRequest {
  Object.assign(request, { abort: () => undefined });
  return request.once('response', incoming => incoming.unpipe());
}
