export { clientsOf, type Line } from './clients-of.js';
export { deliveriesOf, isSent, type Delivery } from './delivery-of.js';
export { indexOf, outcomeOf, type Outcome, type OutcomeKind } from './outcome-of.js';
export { isLive, topicOf } from './topic-of.js';
