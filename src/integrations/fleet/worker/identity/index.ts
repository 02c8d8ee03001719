export { IdentityPolls } from './identity-polls.js';
export type { IdentityEvent } from './identity-status.js';
export { IdentityStatuses } from './identity-statuses.js';
