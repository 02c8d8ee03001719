export { createReadToken, splitToken, type ReadToken } from './read-token.js';
export { createRequestPolicy, type RequestPolicy } from './request-policy.js';
export { closeOf, upgrades, type Upgrade } from './upgrades.js';
export { createVisitors, type Visitor } from './visitor.js';
