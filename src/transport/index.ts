export { explainFailure } from './explain-failure.js';
export type { FetchLike, FetchLikeInit, FetchLikeResponse } from './send-by-fetch.js';
export { fromFetch, type FetchConfig } from './from-fetch.js';
export {
  MAX_BODY,
  isRedirectStatus,
  redirected,
  summaryOf,
  tooLarge,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.js';
export { isOlderThan, ServiceProof, type IsFromService } from './service-proof.js';
export { withTimeout } from './with-timeout.js';
export { logUnsent, withLog, withLogOfForeign, type RequestLogEntry } from './with-log.js';
export {
  withToken,
  type Token,
  type TokenHooks,
  type TokenProvider,
  type TokenValue,
} from './token/index.js';
