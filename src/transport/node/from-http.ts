import type { Agent } from 'node:http';
import type { AgentOptions } from 'node:https';
import { isIP } from 'node:net';
import {
  checkOptions,
  definedOptions,
  fieldsOf,
  InputError,
  plainObject,
  positiveInteger,
  type Options,
} from '../../error/index.js';
import { BODY_OPTIONS, transportOver, type BodyConfig } from '../transport-over.js';
import type { Transport } from '../transport.js';
import { createAgents, sharedAgents, type AgentOf } from './agents.js';
import { sendByHttp } from './send-by-http.js';

/** The options of {@link fromHttp}. */
export interface HttpConfig extends BodyConfig {
  /**
   * Options of its agents, such as `localAddress` or `ca`. Transports without them share their
   * sockets. `maxSockets` limits GETs.
   */
  readonly agentOptions?: Omit<AgentOptions, OwnAgentOption>;
  /**
   * The agent of all requests, in place of its own, for example one that sends them through a
   * proxy. It must not keep sockets alive. If the server closed a kept socket just then, it would
   * be unknown what a POST has done.
   */
  readonly agent?: Agent;
}

/** Options that would break what this transport promises about sockets. */
const OWN_AGENT_OPTIONS = [
  'keepAlive',
  'maxFreeSockets',
  'maxTotalSockets',
  'scheduling',
  'host',
  'port',
  // Node ends the process if it throws, or finds something else than addresses.
  'lookup',
] as const;
type OwnAgentOption = (typeof OWN_AGENT_OPTIONS)[number];

const OPTIONS: Options<HttpConfig> = {
  ...BODY_OPTIONS,
  agentOptions: {
    name: `the options of an https.Agent, without ${OWN_AGENT_OPTIONS.join(', ')}`,
    is: u => plainObject.is(u) && OWN_AGENT_OPTIONS.every(name => u[name] === undefined),
  },
  agent: {
    name: 'an http.Agent without keepAlive',
    is: u => {
      const { addRequest, freeSockets, keepAlive } = fieldsOf(u);
      return typeof addRequest === 'function' && plainObject.is(freeSockets) && keepAlive !== true;
    },
  },
};
const AGENT_OPTIONS: Options<Pick<AgentOptions, 'localAddress' | 'maxSockets'>> = {
  localAddress: { name: 'an IP address', is: u => typeof u === 'string' && isIP(u) > 0 },
  maxSockets: { name: 'a positive integer', is: u => u === Infinity || positiveInteger.is(u) },
};

/**
 * Creates a {@link Transport} over Node's own `http` and `https`, without a `fetch` between: it
 * takes less CPU than `fromFetch`.
 * What it promises is the same: each subscription sends one request, unsubscribing aborts it,
 * redirects and bodies larger than `maxBody` are errors, a socket is kept for the next GET.
 *
 * Errors: `TransportError`. Throws an `InputError` if the config is invalid.
 *
 * @example
 * const client = createClient({
 *   url,
 *   token,
 *   transport: fromHttp({ agentOptions: { localAddress: '10.0.0.2' } }),
 * });
 */
export function fromHttp(config: HttpConfig = {}): Transport {
  checkOptions(config, OPTIONS);
  const { agentOptions, agent, ...limits } = config;
  if (agentOptions) {
    const { localAddress, maxSockets } = agentOptions;
    checkOptions(definedOptions({ localAddress, maxSockets }), AGENT_OPTIONS, 'agentOptions');
    if (agent) throw new InputError('agentOptions', 'left out if there is an agent of your own', 'both');
  }
  return transportOver(sendByHttp(agentsFor(config)), limits);
}

function agentsFor({ agent, agentOptions }: HttpConfig): AgentOf {
  if (agent) return () => agent;
  return agentOptions ? createAgents(agentOptions) : sharedAgents();
}
