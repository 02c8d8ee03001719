import crossFetch from 'cross-fetch';
import type { Agent, ClientRequest } from 'node:http';
import { agentFor } from './agent-for.node.js';
import type { FetchLike, FetchLikeInit, FetchLikeResponse } from './fetch-like.js';

/**
 * The fetch of Node: cross-fetch, with sockets kept alive, and with an eye on each of them, since node-fetch never
 * settles where a connection dies in mid-body of an answer that named its length.
 */
export const platformFetch: FetchLike = async (url, init) => {
  const first = exchange(url, init, init.method === 'GET');
  try {
    return await first.response;
  } catch (error) {
    // The server closed a kept socket just as we reused it: it never saw this request, and browsers send it anew too.
    if (init.signal.aborted || !first.diedOnReuse()) throw error;
    return exchange(url, init, false).response;
  }
};

/**
 * One request. What is not a GET gets a socket of its own: on a kept one that the server is just closing, nobody could
 * tell whether the request was done.
 */
function exchange(url: string, init: FetchLikeInit, kept: boolean) {
  let request: ClientRequest | undefined;
  let answered = false;
  let fail: (error: Error) => void;
  const cut = new Promise<never>((_, reject) => (fail = reject));
  cut.catch(() => undefined);

  const shared = agentFor(new URL(url).protocol, kept);
  const agent = Object.create(shared, {
    addRequest: {
      value: (started: ClientRequest, options: unknown) => {
        request = started;
        // Node ends some exchanges without a word: an upgrade that nobody asked for, say.
        started.once('close', () => {
          if (!answered) fail(reset('the connection was closed without an answer'));
        });
        started.once('response', response => {
          answered = true;
          response.once('close', () => {
            if (!response.complete)
              fail(Object.assign(new Error('the body was cut'), { code: 'ECONNRESET' }));
          });
        });
        (shared as AgentInternals).addRequest(started, options);
      },
    },
  }) as Agent;

  const init2 = { ...init, agent } as object;
  // Raced here too: node-fetch hands out a deflated answer only with its first byte.
  const response = Promise.race([crossFetch(url, init2), cut]).then((answer): FetchLikeResponse => ({
    status: answer.status,
    headers: answer.headers,
    text: () => Promise.race([answer.text(), cut]),
  }));
  return { response, diedOnReuse: () => !answered && request?.reusedSocket === true };
}

function reset(message: string): Error {
  return Object.assign(new Error(message), { code: 'ECONNRESET' });
}

/** The one method of an agent that Node calls and its types leave out; agent-base rests on it as well. */
interface AgentInternals extends Agent {
  addRequest(request: ClientRequest, options: unknown): void;
}
