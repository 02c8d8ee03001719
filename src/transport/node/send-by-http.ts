import * as nodeHttp from 'node:http';
import * as nodeHttps from 'node:https';
import type { Send } from '../send.js';
import { isTls, type AgentOf } from './agents.js';
import { sendInNode, type StartRequest } from './send-in-node.js';

/** Sends with Node's own `http` and `https`. */
export function sendByHttp(agentFor: AgentOf): Send {
  return sendInNode(agentFor, startByHttp);
}

export const startByHttp: StartRequest = ({ url, body, ...options }) => {
  const request = requestOf(url)(url, options);
  request.end(body);
  return request;
};

type Module<M> = M & { readonly default?: M };

/**
 * Node's function for requests to a URL. It is looked up at each call, because mocks replace it in
 * the default export. A compiler to CommonJS gives no such export without `esModuleInterop`.
 */
export function requestOf(url: string): typeof nodeHttp.request {
  const { default: http = nodeHttp } = nodeHttp as Module<typeof nodeHttp>;
  const { default: https = nodeHttps } = nodeHttps as Module<typeof nodeHttps>;
  return (isTls(url) ? https : http).request;
}
