import crossFetch from 'cross-fetch';
import { Agent as HttpAgent, type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { FetchLike, FetchLikeInit, FetchLikeResponse } from './fetch-like.js';

/** Their idle sockets do not keep the process alive. */
const KEEP_ALIVE_AGENTS = {
  http: new HttpAgent({ keepAlive: true }),
  https: new HttpsAgent({ keepAlive: true }),
};
const SINGLE_USE_AGENTS = {
  http: new HttpAgent({ keepAlive: false }),
  https: new HttpsAgent({ keepAlive: false }),
};

/**
 * The default fetch in Node: cross-fetch with keep-alive. It observes each connection itself, because node-fetch never
 * settles if the connection breaks in the middle of a body with a Content-Length.
 */
export const platformFetch: FetchLike = async (url, init) => {
  const first = sendOnce(url, init, init.method === 'GET');
  try {
    return await first.response;
  } catch (error) {
    // The server closed an idle socket just as it was reused. It may have read the request, but a GET can safely be repeated.
    // Browsers retry in this case, too.
    if (init.signal.aborted || !first.diedOnReuse()) throw error;
    return sendOnce(url, init, false).response;
  }
};

/**
 * Sends one request. Only a GET may reuse a socket: if the server closes the socket at that moment, there is no way to
 * tell whether the request was carried out.
 */
function sendOnce(url: string, init: FetchLikeInit, mayReuse: boolean) {
  let request: ClientRequest | undefined;
  let incoming: IncomingMessage | undefined;
  let fail: (error: Error) => void;
  const broken = new Promise<never>((_, reject) => (fail = reject));
  broken.catch(() => undefined);

  const sharedAgent = (mayReuse ? KEEP_ALIVE_AGENTS : SINGLE_USE_AGENTS)[
    new URL(url).protocol === 'https:' ? 'https' : 'http'
  ];
  const agent = Object.create(sharedAgent, {
    addRequest: {
      value: (started: ClientRequest, options: object) => {
        request = started;
        // In some cases Node reports no error, for example after an unrequested upgrade.
        started.once('close', () => {
          if (!incoming) fail(connectionReset('the connection was closed without an answer'));
        });
        started.once('response', response => {
          incoming = response;
          response.once('close', () => {
            if (!response.complete) fail(connectionReset('the connection was closed in the body'));
          });
        });
        if (init.needsFreshConnection) dropIdleSockets(sharedAgent as AgentInternals, options);
        (sharedAgent as AgentInternals).addRequest(started, options);
      },
    },
  }) as Agent;

  const headers = { 'accept-encoding': 'gzip', ...init.headers };
  // Raced twice: if a body ends before its first byte, node-fetch may not settle the response either.
  const response = Promise.race([
    crossFetch(url, { ...init, headers, compress: false, agent } as object),
    broken,
  ]);
  const answer = response.then((answer): FetchLikeResponse => {
    const chunks = decoded(answer.body as unknown as Readable, answer.headers.get('content-encoding'));
    return {
      // node-fetch takes a status of 000 for a 200.
      status: incoming?.statusCode ?? answer.status,
      headers: answer.headers,
      body: { getReader: () => ({ read: () => Promise.race([chunks.next(), broken]) }) },
      text: () => answer.text(),
    };
  });
  return { response: answer, diedOnReuse: () => !incoming && request?.reusedSocket === true };
}

const DECODERS = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** The chunks of a body. Unlike node-fetch's own decompression, it fails if a compressed body is incomplete. */
async function* decoded(body: Readable, encoding: string | null): AsyncGenerator<Uint8Array, undefined> {
  const createDecoder = DECODERS.get(encoding?.toLowerCase() ?? '');
  if (!createDecoder) {
    yield* body as AsyncIterable<Uint8Array>;
    return undefined;
  }
  let size = 0;
  const counted = body.on('data', (chunk: Uint8Array) => (size += chunk.length));
  try {
    yield* pipeline(counted, createDecoder(), () => undefined) as AsyncIterable<Uint8Array>;
  } catch (error) {
    // Servers send no compressed form of an empty body, only its header.
    if (size > 0) throw error;
  }
  return undefined;
}

/** Closes the sockets that wait to be reused for the server of a request. They are dead together, or alive together. */
function dropIdleSockets(agent: AgentInternals, options: object): void {
  const name = agent.getName({ ...options, ...agent.options });
  for (const socket of agent.freeSockets[name] ?? []) socket.destroy();
}

function connectionReset(message: string): Error {
  return Object.assign(new Error(message), { code: 'ECONNRESET' });
}

/** What Node's types omit. The agent-base package relies on it as well. */
interface AgentInternals extends Agent {
  readonly options: object;
  addRequest(request: ClientRequest, options: object): void;
}
