import { request as httpRequest } from 'node:http';
import { request as httpsRequest, type AgentOptions } from 'node:https';
import { isIP } from 'node:net';
import { checkOptions, plainObject, type Options } from '../../error/index.js';
import type { SentResponse } from '../fetch-like.js';
import { BODY_OPTIONS, transportOver, type BodyConfig } from '../transport-over.js';
import type { Transport } from '../transport.js';
import { createAgents, dropIdleSockets, isTls, type AgentOf } from './agents.js';
import { Exchange } from './exchange.js';
import { retriedOnReuse, type Attempt, type SendInit } from './retried-on-reuse.js';

/** How {@link fromHttp} carries requests. */
export interface HttpConfig extends BodyConfig {
  /**
   * Options of its agents, such as `localAddress` or `ca`. Transports without them share their sockets. Which sockets are kept is
   * not among them.
   */
  readonly agentOptions?: Omit<AgentOptions, 'keepAlive' | 'maxFreeSockets'>;
}

const OPTIONS: Options<HttpConfig> = {
  ...BODY_OPTIONS,
  agentOptions: {
    name: 'the options of an https.Agent, their localAddress an IP address',
    is: u => plainObject.is(u) && (u.localAddress === undefined || isAddress(u.localAddress)),
  },
};

function isAddress(u: unknown): boolean {
  return typeof u === 'string' && isIP(u) > 0;
}

/** The agents of all transports that have no options for them. */
let sharedAgents: AgentOf | undefined;

/**
 * Creates a {@link Transport} over Node's own `http` and `https`, without a `fetch` between: it takes less CPU than `fromFetch`.
 * What it promises is the same: each subscription sends one request, unsubscribing aborts it, redirects and bodies larger than
 * `maxBody` are errors, a socket is kept for the next GET.
 *
 * Errors: `TransportError`. Throws an `InputError` if the config is invalid.
 *
 * @example
 * const client = createClient({ url, token, transport: fromHttp({ agentOptions: { localAddress: '10.0.0.2' } }) });
 */
export function fromHttp(config: HttpConfig = {}): Transport {
  checkOptions(config, OPTIONS);
  const { agentOptions, ...limits } = config;
  const agentFor = agentOptions ? createAgents(agentOptions) : (sharedAgents ??= createAgents());
  return transportOver(
    retriedOnReuse((url, init, mayReuse) => sendOnce(url, init, agentFor, mayReuse)),
    limits,
  );
}

function sendOnce(url: string, init: SendInit, agentFor: AgentOf, mayReuse: boolean): Attempt {
  const exchange = new Exchange();
  const response = new Promise<SentResponse>((resolve, reject) => {
    const agent = agentFor(url, mayReuse);
    if (init.needsFreshConnection) dropIdleSockets(agent, url);
    const headers = { 'accept-encoding': 'gzip', ...init.headers };
    const send = isTls(url) ? httpsRequest : httpRequest;
    const request = send(url, { method: init.method, headers, agent }, incoming => {
      const get = (name: string) => {
        const value = incoming.headers[name.toLowerCase()];
        return value === undefined ? null : String(value);
      };
      resolve({
        status: incoming.statusCode!,
        headers: { get },
        body: exchange.decoded(incoming, get('content-encoding')),
      });
    });
    exchange.observe(request, error => {
      reject(error);
      exchange.incoming?.destroy(error);
    });
    request.on('error', reject);
    request.end(init.body);
  });
  return { response, hasDiedOnReuse: () => exchange.hasDiedOnReuse, abort: () => exchange.abort() };
}
