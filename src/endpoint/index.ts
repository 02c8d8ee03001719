export { endpoint, type Endpoint, type PathParameter } from './endpoint.js';
export type { EndpointAnswer } from './endpoint-answer.js';
export type { EndpointInput } from './endpoint-input.js';
export { eventsWatch } from './events-watch.js';
export { getMembers } from './get-members.js';
export { playersConnected } from './players-connected.js';
export { request } from './request.js';
export type { Service } from './service.js';
export type { Wire } from './wire.js';
