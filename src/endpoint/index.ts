export type { BaseUrls } from './compose-request.js';
export {
  checkEndpoint,
  endpoint,
  likeReplaced,
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
  keyOfMembers,
  playersConnected,
  playersDisconnected,
  rawEventsWatch,
  type Endpoints,
  type EventsWatchInput,
  type GetMembersInput,
  type PlayerTokenInput,
} from './endpoints.js';
export { pages, type PagesConfig } from './pages.js';
export { answerKey } from './read-answer.js';
export { request, requestText, type RequestContext } from './request.js';
export { either, type Either } from './either.js';
export type { Pageable, Watchable } from './watchable.js';
