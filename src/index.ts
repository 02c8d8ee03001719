// The client.
export { createClient, identities, whyNotConnected } from './client/index.js';
export type {
  Client,
  ClientConfig,
  EventsApi,
  GroupApi,
  IdentitiesConfig,
  LogEntry,
  MatchmakerApi,
  MembersConfig,
  NotConnected,
  RefusalReason,
  Roster,
} from './client/index.js';

// Streams over time.
export {
  answers,
  backoff,
  clockJumps,
  either,
  eventFeed,
  fold,
  ofKind,
  pages,
  watch,
  watchSignals,
} from './stream/index.js';
export type {
  BackoffConfig,
  Checkpoint,
  ClockJumpsConfig,
  EventFeed,
  EventFeedConfig,
  Gap,
  GapReason,
  PagesConfig,
  Poll,
  RetryConfig,
  WatchConfig,
  WatchLogEntry,
  WatchSignal,
  WatchStatus,
} from './stream/index.js';

// Endpoints: the built-in ones, and `endpoint` to declare your own.
export {
  endpoint,
  eventsWatch,
  getMembers,
  playersConnected,
  playersDisconnected,
} from './endpoint/index.js';
export type {
  Endpoint,
  EndpointAnswer,
  EndpointInput,
  Endpoints,
  EventsWatchInput,
  GetMembersInput,
  HttpMethod,
  Pageable,
  PathParameter,
  PlayerTokenInput,
  Service,
  Watchable,
} from './endpoint/index.js';

// Transports.
export { fromFetch, withDeadline, withLog, withToken } from './transport/index.js';
export type {
  FetchConfig,
  FetchLike,
  FetchLikeInit,
  FetchLikeResponse,
  RequestLogEntry,
  Token,
  TokenSourceConfig,
  Transport,
  TransportRequest,
  TransportResponse,
} from './transport/index.js';

// Payloads: most names are both a codec and the type that it decodes to.
export {
  Acknowledged,
  cursorArgument,
  ErrorBody,
  GameActivity,
  GameHandle,
  GroupExternal,
  GroupHandle,
  GroupMember,
  GroupMemberList,
  identityEventList,
  IdentityEventList,
  IdentityExternal,
  IdentityHandle,
  IdentityUpdate,
  integer,
  jsonObject,
  LinkedAccessToken,
  LinkedAccount,
  LinkedEmail,
  Lobby,
  lobbyAddress,
  LobbyJoin,
  LobbyPlayer,
  nonEmptyString,
  Notification,
  Port,
  PortRange,
  positiveInteger,
  Presence,
  Profile,
  ProfileGame,
  ProfileGroup,
  Region,
  Stat,
  StatConfig,
  struct,
  WatchData,
} from './protocol/index.js';
export type {
  AnyStruct,
  Codec,
  EventCodecs,
  FieldsOf,
  IdentityUpdateEvent,
  KnownEvents,
  KnownPresenceStatus,
  KnownStatAggregation,
  KnownStatFormat,
  KnownStatSorting,
  LiveEvent,
  LobbyAddress,
  LobbyJoinEvent,
  MalformedEvent,
  NoOwnEvents,
  OwnEvent,
  PayloadsOf,
  Struct,
  UnknownEvent,
} from './protocol/index.js';

// Errors, and what they mean for a watch.
export {
  DecodeError,
  InputError,
  isClientError,
  isDecodeError,
  isInputError,
  isFromService,
  isStatusError,
  isTransportError,
  recovery,
  StatusError,
  TransportError,
} from './error/index.js';
export type {
  ClientError,
  DecodeIssue,
  Recovery,
  RequestSummary,
  StatusDetails,
  TransportFailure,
} from './error/index.js';
