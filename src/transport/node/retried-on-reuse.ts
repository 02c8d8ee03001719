import type { SentResponse, Send, SentRequest } from '../fetch-like.js';

/** One attempt to send a request. */
export interface Attempt extends SentRequest {
  readonly response: Promise<SentResponse>;
  /** Whether the server closed an idle socket just as it was reused. */
  readonly hasDiedOnReuse: () => boolean;
}

/** The options of a request. */
export type SendInit = Parameters<Send>[1];

/**
 * Sends a GET once more, on a new socket, if the server closed an idle one just as it was reused. It may have read the request, but
 * a GET can safely be repeated. Browsers retry in this case, too.
 */
export function retriedOnReuse(attempt: (url: string, init: SendInit, mayReuse: boolean) => Attempt): Send {
  return (url, init) => {
    let sent = attempt(url, init, init.method === 'GET');
    let isAborted = false;
    const response = sent.response.catch((error: unknown) => {
      if (isAborted || !sent.hasDiedOnReuse()) throw error;
      sent = attempt(url, init, false);
      return sent.response;
    });
    return {
      response,
      abort: () => {
        isAborted = true;
        sent.abort();
      },
    };
  };
}
