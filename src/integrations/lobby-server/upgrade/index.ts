export { createReadToken, splitToken } from './read-token.js';
export { createRequestPolicy } from './request-policy.js';
export { closeOf, upgrades, type Upgrade } from './upgrades.js';
export { createVisitors, type Visitor } from './visitor.js';
