import { Agent as HttpAgent, type Agent } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { textOf } from '../../error/index.js';

/** Gives the agent for a request. Only a GET may reuse a socket. */
export type AgentOf = (url: string, mayReuse: boolean) => Agent;

/**
 * Creates agents for both protocols. Only a GET may reuse a socket: if the server closes the socket at that moment, there is no way
 * to tell whether the request was carried out. The idle sockets do not keep the process alive.
 */
export function createAgents(options: AgentOptions = {}): AgentOf {
  const { localAddress, lookup } = options;
  const common = {
    // Node would try the addresses of a host in turn, whether they fit or not.
    ...(localAddress !== undefined && { family: isIP(localAddress) }),
    ...options,
    ...(lookup && { lookup: checked(lookup) }),
  };
  // Not only 256 idle ones: when an event comes to thousands of watches at once, each needs its socket again a moment later.
  const kept = { ...common, keepAlive: true, maxFreeSockets: Infinity };
  // With a limit, Node would hand a socket on to the next request.
  const single = { ...common, keepAlive: false, maxSockets: Infinity };
  const [http, https, httpOnce, httpsOnce] = [
    new HttpAgent(kept),
    new HttpsAgent(kept),
    new HttpAgent(single),
    new HttpsAgent(single),
  ];
  return (url, mayReuse) => {
    if (isTls(url)) return mayReuse ? https : httpsOnce;
    return mayReuse ? http : httpOnce;
  };
}

/**
 * Node listens for errors of a socket only a moment after it has been made, and does not expect a lookup to throw, or to find
 * nothing, or something else than addresses: that would end the process.
 */
function checked(lookup: (...given: Parameters<LookupFunction>) => unknown): LookupFunction {
  return (hostname, options, callback) => {
    new Promise<unknown>((resolve, reject) => {
      const returned = lookup(hostname, options, (error, found) => (error ? reject(error) : resolve(found)));
      // It may be an async function.
      Promise.resolve(returned).catch(reject);
    })
      .then(addressesIn)
      .then(
        found => {
          const [{ address, family }] = found;
          process.nextTick(callback, null, ...(options.all ? [found] : [address, family]));
        },
        (cause: unknown) => {
          const error = Object.assign(new Error(textOf(cause), { cause }), { syscall: 'getaddrinfo' });
          process.nextTick(callback, error, '');
        },
      );
  };
}

/** As Node expects it of a lookup. */
interface Address {
  readonly address: string;
  readonly family: number;
}

/** The addresses in what a lookup has found: a list, or a single one. */
function addressesIn(found: unknown): readonly [Address, ...Address[]] {
  const [first, ...more] = [found].flat().flatMap(entry => {
    const address: unknown =
      typeof entry === 'string' ? entry : (Object(entry) as { address?: unknown }).address;
    if (typeof address !== 'string' || !isIP(address)) return [];
    return [{ address, family: isIP(address) }];
  });
  if (first) return [first, ...more];
  throw Object.assign(new Error('the lookup found no address'), { code: 'ENOTFOUND' });
}

/** Whether a request to a URL is encrypted. */
export function isTls(url: string): boolean {
  return /^https:/i.test(url);
}

/** Closes the sockets that wait to be reused for the server of a URL. They are dead together, or alive together. */
export function dropIdleSockets(agent: Agent, url: string): void {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  // Whatever follows: with TLS that is much, and a Host header of the request is part of it.
  const server = `${host}:${port || (isTls(url) ? 443 : 80)}:`;
  for (const [name, sockets] of Object.entries(agent.freeSockets)) {
    if (name.startsWith(server)) for (const socket of sockets ?? []) socket.destroy();
  }
}
