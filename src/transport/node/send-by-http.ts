import type { Agent, ClientRequest } from 'node:http';
import type { Send } from '../send.js';
import { dropIdleSockets, freshness, type AgentOf } from './agents.js';
import { Exchange, type SendInit } from './exchange.js';
import { nodeRequest } from './node-request.js';

/** A proxy may refuse what has no user agent. */
const DEFAULT_HEADERS = { accept: '*/*', 'accept-encoding': 'gzip', 'user-agent': 'lobby-rx' };

/** Sends with Node's own `http` and `https`. */
export function sendByHttp(agentFor: AgentOf): Send {
  return Exchange.sendBy((exchange, url, init, mayReuse) => {
    exchange.follow(startRequest(url, init, agentFor(url, mayReuse)));
    return undefined;
  });
}

function startRequest(url: string, init: SendInit, agent: Agent): ClientRequest {
  if (init.needsFreshConnection) dropIdleSockets(agent, url);
  // A spread that adds a name would cost each request a separate hidden class in Node 20.
  const headers: Record<string, string | number> = Object.assign(
    {},
    DEFAULT_HEADERS,
    freshness(init.method),
    init.headers,
  );
  // Of some methods Node would send a body without its length, which servers take for another
  // request.
  if (init.body !== undefined) headers['content-length'] = Buffer.byteLength(init.body);
  const request = nodeRequest(url)(url, { method: init.method, headers, agent });
  request.end(init.body);
  return request;
}
