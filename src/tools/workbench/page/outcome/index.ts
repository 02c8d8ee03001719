export { liveFrom, stateAt } from './client-history.js';
export { clientsOf, type ClientRequests } from './clients-of.js';
export { deliveriesOf, isSent, type EventDelivery } from './delivery-of.js';
export { indexOf, outcomeOf } from './outcome-of.js';
export { topicOf } from './topic-of.js';
