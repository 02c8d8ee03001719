import crossFetch from 'cross-fetch';
import { Agent as HttpAgent, type Agent, type ClientRequest } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
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
  let isAnswered = false;
  let fail: (error: Error) => void;
  const broken = new Promise<never>((_, reject) => (fail = reject));
  broken.catch(() => undefined);

  const sharedAgent = (mayReuse ? KEEP_ALIVE_AGENTS : SINGLE_USE_AGENTS)[
    new URL(url).protocol === 'https:' ? 'https' : 'http'
  ];
  const agent = Object.create(sharedAgent, {
    addRequest: {
      value: (started: ClientRequest, options: unknown) => {
        request = started;
        // In some cases Node reports no error, for example after an unrequested upgrade.
        started.once('close', () => {
          if (!isAnswered) fail(connectionReset('the connection was closed without an answer'));
        });
        started.once('response', response => {
          isAnswered = true;
          response.once('close', () => {
            if (!response.complete) fail(connectionReset('the connection was closed in the body'));
          });
        });
        (sharedAgent as AgentInternals).addRequest(started, options);
      },
    },
  }) as Agent;

  // Raced twice: if a deflated body ends before its first byte, node-fetch does not settle the response either.
  const response = Promise.race([crossFetch(url, { ...init, agent } as object), broken]).then(
    (answer): FetchLikeResponse => ({
      status: answer.status,
      headers: answer.headers,
      text: () => Promise.race([answer.text(), broken]),
    }),
  );
  return { response, diedOnReuse: () => !isAnswered && request?.reusedSocket === true };
}

function connectionReset(message: string): Error {
  return Object.assign(new Error(message), { code: 'ECONNRESET' });
}

/** A method that Node calls on agents but that its types omit. The agent-base package relies on it as well. */
interface AgentInternals extends Agent {
  addRequest(request: ClientRequest, options: unknown): void;
}
