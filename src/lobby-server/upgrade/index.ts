export { createHandshake } from './handshake.js';
export { createRequestPolicy } from './request-policy.js';
export { upgrades, type Upgrade } from './upgrades.js';
export { urlToken } from './url-token.js';
