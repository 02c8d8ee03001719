import type { RequestSummary } from '../protocol/index.js';
import type { TransportRequest } from './transport.js';

/** The part of a request that an error may show. */
export function summaryOf({ method, url }: TransportRequest): RequestSummary {
  return { method, url };
}
