export type { BaseUrls } from './compose-request.js';
export {
  checkEndpoint,
  endpoint,
  type Endpoint,
  type EndpointAnswer,
  type EndpointInput,
  type HttpMethod,
  type PathParameter,
  type Service,
} from './endpoint.js';
export {
  endpoints,
  eventsWatch,
  getMembers,
  playersConnected,
  playersDisconnected,
  rawEventsWatch,
  type Endpoints,
  type EventsWatchInput,
  type GetMembersInput,
  type PlayerTokenInput,
} from './endpoints.js';
export { decodeAnswer } from './read-answer.js';
export { request, type RequestContext } from './request.js';
export type { Pageable, Watchable } from './watchable.js';
