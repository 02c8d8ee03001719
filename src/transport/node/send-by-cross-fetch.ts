import type { Agent, ClientRequest } from 'node:http';
import type { Send, SentRequest } from '../send.js';
import type { AgentOf } from './agents.js';
import { sendInNode, type HiddenAnswer, type StartRequest } from './send-in-node.js';
import { requestOf, startByHttp } from './send-by-http.js';

/** What starts requests, once it is loaded. */
let start: StartRequest | undefined;
let loading: Promise<void> | undefined;

/**
 * Sends with cross-fetch, whose requests are taken over as soon as they are started. It is loaded
 * with the first transport, since that takes longer than to load this library. Until then, requests
 * wait. If it cannot be loaded, for want of file descriptors for example, requests are started
 * without it: Node remembers a failed import for as long as it lives.
 */
export function sendByCrossFetch(agentFor: AgentOf): Send {
  loading ??= load();
  const loaded = loading;
  const send = sendInNode(agentFor, (options, signal) => start!(options, signal));
  return (request, receiver) => {
    if (start) return send(request, receiver);
    let isAborted = false;
    let sent: SentRequest | undefined;
    void loaded.then(() => {
      if (!isAborted) sent = send(request, receiver);
    });
    const abort = () => {
      isAborted = true;
      sent?.abort();
    };
    return { abort };
  };
}

type CrossFetch = (url: string, init: object) => Promise<HiddenAnswer>;

async function load(): Promise<void> {
  try {
    const { default: crossFetch } = await import('cross-fetch');
    start = startBy(crossFetch as unknown as CrossFetch);
  } catch {
    start = startByHttp;
  }
}

/**
 * Each `http.request` that gives its requests to their agent. What replaces it, to mock it, may
 * not.
 */
const observed = new WeakSet<ReturnType<typeof requestOf>>();

/**
 * Starts a request of cross-fetch's. Its connection is followed from here, because node-fetch never
 * settles if the connection breaks in the middle of a body with a Content-Length.
 */
function startBy(crossFetch: CrossFetch): StartRequest {
  return ({ url, agent: shared, ...options }, signal) => {
    let started: ClientRequest | undefined;
    const agent = observable(shared, request => {
      started = request;
    });
    const httpRequest = requestOf(url);
    const answered = crossFetch(url, {
      ...options,
      redirect: 'manual',
      compress: false,
      agent,
      // A request that is observed is aborted directly, which costs less than a signal.
      signal: observed.has(httpRequest) ? undefined : signal(),
    });
    if (!started) return answered;
    observed.add(httpRequest);
    answered.catch(() => undefined);
    return takenOver(started);
  };
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
