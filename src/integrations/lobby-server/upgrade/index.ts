export { createHandshake } from './handshake.js';
export { createRequestPolicy } from './request-policy.js';
export { createTokenSource } from './token-source.js';
export { upgrades, type Upgrade } from './upgrades.js';
