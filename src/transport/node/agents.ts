import { Agent as HttpAgent, type Agent, type ClientRequest } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';

/** Gives the agent for a request. Only a GET may reuse a socket. */
export type AgentOf = (url: string, mayReuse: boolean) => Agent;

let shared: AgentOf | undefined;

/** The agents of all transports that have no options for them. */
export function sharedAgents(): AgentOf {
  shared ??= createAgents();
  return shared;
}

/**
 * Creates agents for both protocols. Only a GET may reuse a socket: if the server closes the socket
 * at that moment, there is no way to tell whether the request was carried out. The idle sockets do
 * not keep the process alive.
 */
export function createAgents(options: AgentOptions = {}): AgentOf {
  const { localAddress } = options;
  const common = {
    // Node would try the addresses of a host in turn, whether they fit or not.
    ...(localAddress !== undefined && { family: isIP(localAddress) }),
    ...(usesProxyOfEnvironment() && { proxyEnv: process.env }),
    ...options,
  };
  // Not only 256 idle ones: when an event comes to thousands of watches at once, each needs its
  // socket again a moment later.
  const kept = { ...common, keepAlive: true, maxFreeSockets: Infinity };
  // With a limit, Node would reuse the socket for a request that waits.
  const single = { ...common, keepAlive: false, maxSockets: Infinity };
  const http = { kept: patient(new HttpAgent(kept)), single: patient(new HttpAgent(single)) };
  const https = { kept: patient(new HttpsAgent(kept)), single: patient(new HttpsAgent(single)) };
  return (url, mayReuse) => (isTls(url) ? https : http)[mayReuse ? 'kept' : 'single'];
}

/**
 * Whether requests go by `HTTP_PROXY` and its like. Node does it from version 24 on, if an option
 * says so, but only for its own agents. Bun and Deno always do it, but only for their `fetch`.
 */
function usesProxyOfEnvironment(): boolean {
  const { execArgv, env } = process;
  if (!isNode()) return true;
  const options = [...execArgv, ...(env.NODE_OPTIONS ?? '').split(' ')];
  return env.NODE_USE_ENV_PROXY === '1' || options.includes('--use-env-proxy');
}

/** Whether this is Node itself, and not a runtime that loads the files for it. */
function isNode(): boolean {
  return !('bun' in process.versions || 'deno' in process.versions);
}

/**
 * How long an address may take to accept a connection, in ms, if its host has been slow. Node's
 * default is 250.
 */
const PATIENCE_MS = 5_000;

/** The hosts to which no connection could be made because each address was given up too soon. */
const slowHosts = new Set<string>();

/**
 * Of several addresses of a host, Node gives each but the last so little time that a slow
 * handshake, over a satellite for example, never comes to its end. Once that has made a connection
 * fail, they get more.
 */
function patient<A extends Agent>(agent: A): A {
  const own = agent as unknown as Connecting;
  const connect = own.createConnection.bind(agent);
  // A later Node may not have it. To Deno, other options of a request say which proxy to use.
  const add = isNode() ? own.addRequest?.bind(agent) : undefined;
  if (add) own.addRequest = (request, options) => add(request, connectionOf(options));
  own.createConnection = (options, ...rest) => {
    const { host = '' } = options;
    const patience = slowHosts.has(host) && { autoSelectFamilyAttemptTimeout: PATIENCE_MS };
    const socket = connect({ ...patience, ...options }, ...rest);
    socket?.once('error', (error: { readonly errors?: readonly { readonly code?: string }[] }) => {
      if (error.errors?.some(({ code }) => code === 'ETIMEDOUT')) slowHosts.add(host);
    });
    return socket;
  };
  return agent;
}

/** What Node's types omit. */
interface Connecting {
  createConnection: (options: { readonly host?: string }, ...rest: unknown[]) => Socket | undefined;
  addRequest?: (request: ClientRequest, options: ConnectionOptions) => void;
}

interface ConnectionOptions {
  readonly protocol?: string;
  readonly host?: string;
  readonly port?: number;
}

/**
 * The options of a request that its connection needs. A socket keeps them for as long as it lives:
 * those of the first request on it, with its URL in parts and its headers, take 1 to 2 KB.
 */
function connectionOf({ protocol, host, port }: ConnectionOptions): ConnectionOptions {
  return { protocol: protocol!, host: host!, port: port! };
}

/** Whether a request to a URL is encrypted. */
export function isTls(url: string): boolean {
  return /^https:/i.test(url);
}

/**
 * Closes the sockets that wait to be reused for the server of a URL. They are dead together, or
 * alive together.
 */
export function dropIdleSockets(agent: Agent, url: string): void {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  // The name of a pool goes on with TLS options and the Host header of the request: with any of
  // them, it is the same server.
  const server = `${host}:${port || (isTls(url) ? 443 : 80)}:`;
  for (const [name, sockets] of Object.entries(agent.freeSockets)) {
    if (name.startsWith(server)) for (const socket of sockets ?? []) socket.destroy();
  }
}
