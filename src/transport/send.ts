import type { TransportFailure } from '../error/index.js';
import type { TransportRequest } from './transport.js';

/** The status and the headers of an answer. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** How a `fetch` reports redirects. */
  readonly type?: string | undefined;
  readonly redirected?: boolean | undefined;
}

/**
 * Takes the answer to a request as it arrives: its head, the parts of its body, then its end. At
 * any time, a failure may come instead. A receiver has to ignore calls after that, or after it has
 * aborted the request.
 */
export interface Receiver {
  onHead(head: AnswerHead): void;
  onPart(part: Uint8Array | string): void;
  /** `text` is the body of an answer that does not come in parts. */
  onEnd(text?: string): void;
  onFailure(error: unknown): void;
}

/** A request that has been sent. */
export interface SentRequest {
  /** Gives up the answer, even while its body is being read. */
  abort(): void;
}

/**
 * Sends a request. It never throws. It calls back instead of returning a promise, because a process
 * may hold thousands of requests, and promises with their reactions would be a large part of each.
 */
export type Send = (request: TransportRequest, receiver: Receiver) => SentRequest;

/** Why a request has not reached the service, if the platform says so. */
export interface Unsent {
  readonly reason: TransportFailure;
  readonly what: string;
}
