import type { Send, SentResponse } from '../fetch-like.js';
import { Exchange } from './exchange.js';

/** The options of a request. */
export type SendInit = Parameters<Send>[1];

/** Sends a request once, as an exchange. */
type SendOnce = (exchange: Exchange, url: string, init: SendInit, mayReuse: boolean) => Promise<SentResponse>;

/**
 * Sends a GET once more, on a new socket, if the server closed an idle one just as it was reused. It may have read the request, but
 * a GET can safely be repeated. Browsers retry in this case, too.
 */
export function retriedOnReuse(sendOnce: SendOnce): Send {
  return (url, init) => {
    let exchange = new Exchange();
    const response = sendOnce(exchange, url, init, init.method === 'GET').catch((error: unknown) => {
      if (exchange.isAborted || !exchange.hasDiedOnReuse) throw error;
      exchange = new Exchange();
      return sendOnce(exchange, url, init, false);
    });
    return { response, abort: () => exchange.abort() };
  };
}
