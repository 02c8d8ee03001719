export type { FetchLike, FetchLikeInit, FetchLikeResponse } from './fetch-like.js';
export { fromFetch, type FetchConfig } from './from-fetch.js';
export { secretsOf } from './secrets-of.js';
export { summaryOf } from './summary-of.js';
export { tokenFlaw } from './token-flaw.js';
export type { Token } from './token.js';
export type { Transport, TransportRequest, TransportResponse } from './transport.js';
export { withDeadline } from './with-deadline.js';
export { withToken } from './with-token.js';
