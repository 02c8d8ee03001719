import type { fetch } from 'cross-fetch';
import { Agent as HttpAgent, type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { FetchLikeResponse, Send } from './fetch-like.js';

/** Loaded with the first request: it takes longer to load than the rest of this library. */
let loadedFetch: typeof fetch | undefined;

async function loadFetch(): Promise<typeof fetch> {
  return (loadedFetch ??= (await import('cross-fetch')).default);
}

/** Gets the request that is being started. cross-fetch starts one before it returns. */
let onStart: ((request: ClientRequest, agent: AgentInternals, options: Destination) => void) | undefined;

/** Whether the agents of this Node tell which requests they start. Nothing documents the method. */
const CAN_OBSERVE = typeof (HttpAgent.prototype as Partial<AgentInternals>).addRequest === 'function';

/** Lets an agent tell which requests it starts. */
function observed<A extends Agent>(agent: A): A {
  const internals = agent as unknown as AgentInternals;
  if (!CAN_OBSERVE) return agent;
  const addRequest = internals.addRequest.bind(agent);
  internals.addRequest = (request, options) => {
    onStart?.(request, internals, options);
    addRequest(request, options);
  };
  return agent;
}

/** Not only 256 of them: when an event comes to thousands of watches at once, each needs its socket again a moment later. */
const KEEP_ALIVE = { keepAlive: true, maxFreeSockets: Infinity };

/** Their idle sockets do not keep the process alive. */
const KEEP_ALIVE_AGENTS = {
  http: observed(new HttpAgent(KEEP_ALIVE)),
  https: observed(new HttpsAgent(KEEP_ALIVE)),
};
const SINGLE_USE_AGENTS = {
  http: observed(new HttpAgent({ keepAlive: false })),
  https: observed(new HttpsAgent({ keepAlive: false })),
};

/**
 * Sends with cross-fetch and keep-alive, in Node. It observes each connection itself, because node-fetch never settles if the
 * connection breaks in the middle of a body with a Content-Length.
 */
export const platformFetch: Send = (url, init) => {
  let sent = sendOnce(url, init, init.method === 'GET');
  let isAborted = false;
  const response = sent.response.catch((error: unknown) => {
    // The server closed an idle socket just as it was reused. It may have read the request, but a GET can safely be repeated.
    // Browsers retry in this case, too.
    if (isAborted || !sent.diedOnReuse()) throw error;
    sent = sendOnce(url, init, false);
    return sent.response;
  });
  return {
    response,
    abort: () => {
      isAborted = true;
      sent.abort();
    },
  };
};

/**
 * Sends one request. Only a GET may reuse a socket: if the server closes the socket at that moment, there is no way to
 * tell whether the request was carried out.
 */
function sendOnce(url: string, init: Parameters<Send>[1], mayReuse: boolean) {
  let request: ClientRequest | undefined;
  let incoming: IncomingMessage | undefined;
  let body: Readable | undefined;
  let isAborted = false;
  let decoder: Transform | undefined;
  // A request that is observed is aborted directly, which costs less than a signal.
  const controller = CAN_OBSERVE ? undefined : new AbortController();

  const response = new Promise<FetchLikeResponse>((resolve, reject) => {
    const fail = (message: string) => {
      const error = Object.assign(new Error(message), { code: 'ECONNRESET' });
      reject(error);
      body?.destroy(error);
    };
    const observe: typeof onStart = (started, agent, options) => {
      request = started;
      started.once('response', response => (incoming = response));
      // In some cases Node reports no error, for example after an unrequested upgrade.
      started.once('close', () => {
        if (!incoming) fail('the connection was closed without an answer');
        else if (!incoming.complete) fail('the connection was closed in the body');
      });
      if (init.needsFreshConnection) dropIdleSockets(agent, options);
    };
    const agents = mayReuse ? KEEP_ALIVE_AGENTS : SINGLE_USE_AGENTS;
    const agent = /^https:/i.test(url) ? agents.https : agents.http;
    const headers = { 'accept-encoding': 'gzip', ...init.headers };
    const options = {
      ...init,
      headers,
      compress: false,
      agent,
      ...(controller && { signal: controller.signal }),
    };
    const start = (crossFetch: typeof fetch) => {
      if (isAborted) {
        reject(new Error('aborted'));
        return;
      }
      onStart = observe;
      crossFetch(url, options as object).then(answer => {
        body = answer.body as unknown as Readable;
        resolve({
          // node-fetch takes a status of 000 for a 200.
          status: incoming?.statusCode ?? answer.status,
          headers: answer.headers,
          body: {
            getReader: () => {
              decoder = DECODERS.get(answer.headers.get('content-encoding')?.toLowerCase() ?? '')?.();
              // What is compressed may end before its connection does, which nobody would close then.
              decoder?.once('end', () => {
                if (!body?.readableEnded) request?.destroy();
              });
              return readerOf(body!, decoder);
            },
          },
          text: () => answer.text(),
        });
      }, reject);
      onStart = undefined;
    };
    if (loadedFetch) start(loadedFetch);
    else loadFetch().then(start, reject);
  });
  return {
    response,
    diedOnReuse: () => !incoming && request?.reusedSocket === true,
    abort: () => {
      isAborted = true;
      controller?.abort();
      request?.destroy();
      // All of the body may have come already: little of it can become very much.
      decoder?.destroy();
    },
  };
}

const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/**
 * Reads a body part by part, decompressed. Unlike node-fetch's own decompression, it fails if a compressed body is incomplete. It
 * does not use the async iterator of the stream, which costs more than a small answer is worth.
 */
function readerOf(body: Readable, decoder: Transform | undefined) {
  let isEmpty = true;
  let hasEnded = false;
  let failure: Error | null = body.errored;
  const parts: Uint8Array[] = [];
  let settle = (): void => undefined;
  const stream: Readable = decoder ?? body;
  body.once('data', () => (isEmpty = false));
  if (decoder) pipeline(body, decoder, () => undefined);
  stream.on('data', (part: Uint8Array) => {
    parts.push(part);
    settle();
  });
  stream.once('end', () => {
    hasEnded = true;
    settle();
  });
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Servers send no compressed form of an empty body, only its header.
    if (isEmpty && error.code === 'Z_BUF_ERROR') hasEnded = true;
    else failure ??= error;
    settle();
  });
  return {
    read: () =>
      new Promise<{ readonly done: boolean; readonly value?: Uint8Array }>((resolve, reject) => {
        settle = () => {
          const value = parts.shift();
          if (value) resolve({ done: false, value });
          else if (hasEnded) resolve({ done: true });
          else if (failure) reject(failure);
        };
        settle();
      }),
  };
}

/** Closes the sockets that wait to be reused for the server of a request. They are dead together, or alive together. */
function dropIdleSockets(agent: AgentInternals, { host, port }: Destination): void {
  // Whatever follows: with TLS that is much, and a Host header of the request is part of it.
  const server = `${host}:${port}:`;
  for (const [name, sockets] of Object.entries(agent.freeSockets)) {
    if (name.startsWith(server)) for (const socket of sockets ?? []) socket.destroy();
  }
}

/** What a request connects to. */
interface Destination {
  readonly host?: string;
  readonly port?: number | string;
}

/** What Node's types omit. The agent-base package relies on it as well. */
interface AgentInternals extends Agent {
  addRequest(request: ClientRequest, options: Destination): void;
}
