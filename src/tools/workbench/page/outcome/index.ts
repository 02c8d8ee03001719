export { liveFrom, stateAt } from './client-history.js';
export { clientsOf, type ClientRequests } from './clients-of.js';
export { deliveriesOf, isSent, madeBy, type EventDelivery } from './delivery-of.js';
export { indexOf, outcomeOf } from './outcome-of.js';
export { LIVE, topicOf } from './topic-of.js';
