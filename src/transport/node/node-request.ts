import * as nodeHttp from 'node:http';
import * as nodeHttps from 'node:https';
import { isTls } from './agents.js';

type Module<M> = M & { readonly default?: M };

/**
 * Node's function for requests to a URL. It is looked up at each call, because mocks replace it in
 * the default export. A compiler to CommonJS gives no such export without `esModuleInterop`.
 */
export function nodeRequest(url: string): typeof nodeHttp.request {
  const { default: http = nodeHttp } = nodeHttp as Module<typeof nodeHttp>;
  const { default: https = nodeHttps } = nodeHttps as Module<typeof nodeHttps>;
  return (isTls(url) ? https : http).request;
}
