export { routeOf, type BaseUrls } from './compose-request.js';
export {
  checkEndpoint,
  endpoint,
  type Endpoint,
  type HttpMethod,
  type Pageable,
  type PathParameter,
  type Service,
  type Watchable,
} from './endpoint.js';
export {
  answerKey,
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
export { request, requestText, type RequestContext } from './request.js';
export { either, type Either } from './either.js';
