import crossFetch from 'cross-fetch';
import { Agent as HttpAgent, type Agent, type ClientRequest } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { FetchLike, FetchLikeInit, FetchLikeResponse } from './fetch-like.js';

/** Idle sockets of these do not keep the process alive. */
const KEEPING = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
const CLOSING = { http: new HttpAgent({ keepAlive: false }), https: new HttpsAgent({ keepAlive: false }) };

/**
 * The fetch of Node: cross-fetch with kept-alive sockets. It watches each exchange, because node-fetch never settles if a
 * connection dies in the body of an answer with a Content-Length.
 */
export const platformFetch: FetchLike = async (url, init) => {
  const first = exchange(url, init, init.method === 'GET');
  try {
    return await first.response;
  } catch (error) {
    // The server closed a kept socket just as it was reused. It never saw this request; browsers send it again, too.
    if (init.signal.aborted || !first.diedOnReuse()) throw error;
    return exchange(url, init, false).response;
  }
};

/**
 * One request and its answer. Only a GET may reuse a socket: if the server closes it at that moment, nobody can tell
 * whether the request was carried out.
 */
function exchange(url: string, init: FetchLikeInit, mayReuse: boolean) {
  let request: ClientRequest | undefined;
  let isAnswered = false;
  let fail: (error: Error) => void;
  const cut = new Promise<never>((_, reject) => (fail = reject));
  cut.catch(() => undefined);

  const shared = (mayReuse ? KEEPING : CLOSING)[new URL(url).protocol === 'https:' ? 'https' : 'http'];
  const agent = Object.create(shared, {
    addRequest: {
      value: (started: ClientRequest, options: unknown) => {
        request = started;
        // Node ends some exchanges without an error: an upgrade that nobody asked for, say.
        started.once('close', () => {
          if (!isAnswered) fail(connectionReset('the connection was closed without an answer'));
        });
        started.once('response', response => {
          isAnswered = true;
          response.once('close', () => {
            if (!response.complete) fail(connectionReset('the body was cut'));
          });
        });
        (shared as AgentInternals).addRequest(started, options);
      },
    },
  }) as Agent;

  // Raced twice: node-fetch does not settle the response either, if a deflated body ends before its first byte.
  const response = Promise.race([crossFetch(url, { ...init, agent } as object), cut]).then(
    (answer): FetchLikeResponse => ({
      status: answer.status,
      headers: answer.headers,
      text: () => Promise.race([answer.text(), cut]),
    }),
  );
  return { response, diedOnReuse: () => !isAnswered && request?.reusedSocket === true };
}

function connectionReset(message: string): Error {
  return Object.assign(new Error(message), { code: 'ECONNRESET' });
}

/** The one method of an agent that Node calls and its types leave out. The agent-base package relies on it as well. */
interface AgentInternals extends Agent {
  addRequest(request: ClientRequest, options: unknown): void;
}
