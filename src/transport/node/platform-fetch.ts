import type { fetch } from 'cross-fetch';
import { Agent as HttpAgent, type Agent, type ClientRequest } from 'node:http';
import type { Readable } from 'node:stream';
import { TransportError, type RequestSummary } from '../../error/index.js';
import type { SentResponse } from '../fetch-like.js';
import { createAgents, dropIdleSockets } from './agents.js';
import { Exchange } from './exchange.js';
import { retriedOnReuse, type Attempt, type SendInit } from './retried-on-reuse.js';

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

/** Gets the request that is being started. cross-fetch starts one before it returns. */
let onStart: ((request: ClientRequest) => void) | undefined;

/** Whether the agents of this Node tell which requests they start. Nothing documents the method. */
const CAN_OBSERVE = typeof (HttpAgent.prototype as Partial<AgentInternals>).addRequest === 'function';

/** Lets an agent tell which requests it starts. */
function makeObservable(agent: Agent): void {
  const internals = agent as AgentInternals;
  if (!CAN_OBSERVE) return;
  const addRequest = internals.addRequest.bind(agent);
  internals.addRequest = (request, options) => {
    onStart?.(request);
    addRequest(request, options);
  };
}

const agentFor = createAgents({}, makeObservable);

/**
 * Sends with cross-fetch and keep-alive, in Node. It observes each connection itself, because node-fetch never settles if the
 * connection breaks in the middle of a body with a Content-Length.
 */
export const platformFetch = retriedOnReuse(sendOnce);

function sendOnce(url: string, init: SendInit, mayReuse: boolean): Attempt {
  const exchange = new Exchange();
  let body: Readable | undefined;
  let isAborted = false;
  // A request that is observed is aborted directly, which costs less than a signal.
  const controller = CAN_OBSERVE ? undefined : new AbortController();

  const response = new Promise<SentResponse>((resolve, reject) => {
    const fail = (error: Error) => {
      reject(error);
      body?.destroy(error);
    };
    const start = (crossFetch: typeof fetch) => {
      if (isAborted) {
        reject(new Error('aborted'));
        return;
      }
      const agent = agentFor(url, mayReuse);
      if (init.needsFreshConnection) dropIdleSockets(agent, url);
      const headers = { 'accept-encoding': 'gzip', ...init.headers };
      const options = {
        compress: false,
        agent,
        ...init,
        headers,
        ...(controller && { signal: controller.signal }),
      };
      onStart = request => exchange.observe(request, fail);
      crossFetch(url, options as object).then(answer => {
        body = answer.body as unknown as Readable;
        resolve({
          // node-fetch takes a status of 000 for a 200.
          status: exchange.incoming?.statusCode ?? answer.status,
          headers: answer.headers,
          eachPart: exchange.eachPartOf(body, answer.headers.get('content-encoding')),
        });
      }, reject);
      onStart = undefined;
    };
    if (loadedFetch) start(loadedFetch);
    else loadFetch({ method: init.method, url }).then(start).catch(reject);
  });
  return {
    response,
    hasDiedOnReuse: () => exchange.hasDiedOnReuse,
    abort: () => {
      isAborted = true;
      controller?.abort();
      exchange.abort();
    },
  };
}

/** What Node's types omit. The agent-base package relies on it as well. */
interface AgentInternals extends Agent {
  addRequest(request: ClientRequest, options: object): void;
}
