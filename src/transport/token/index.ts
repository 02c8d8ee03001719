export type { Token, TokenProvider, TokenValue } from './token-source.js';
export { withToken, type TokenHooks } from './with-token.js';
