// What flows, and how.
export { createClient, identities, whyNotConnected } from './client/index.js';
export type {
  Client,
  ClientConfig,
  EventsApi,
  GroupApi,
  IdentitiesConfig,
  MatchmakerApi,
  MembersConfig,
  Roster,
} from './client/index.js';
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
  WatchMemory,
  WatchSignal,
  WatchStatus,
} from './stream/index.js';

// Endpoints of your own.
export { endpoint } from './endpoint/index.js';
export type {
  Endpoint,
  EndpointAnswer,
  EndpointInput,
  Pageable,
  Service,
  Watchable,
} from './endpoint/index.js';
export { fromFetch, withDeadline, withLog, withToken } from './transport/index.js';
export type {
  FetchConfig,
  FetchLike,
  FetchLikeInit,
  FetchLikeResponse,
  Token,
  TokenSourceConfig,
  Transport,
  TransportRequest,
  TransportResponse,
} from './transport/index.js';

// What is said on the wire: each name is a codec and the type it decodes to.
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
  KnownEvents,
  KnownPresenceStatus,
  KnownStatAggregation,
  KnownStatFormat,
  KnownStatSorting,
  LiveEvent,
  LobbyAddress,
  LogEntry,
  NotConnected,
  RefusalReason,
  Verdict,
  Struct,
} from './protocol/index.js';

// Errors.
export {
  DecodeError,
  InputError,
  isClientError,
  isDecodeError,
  isInputError,
  isStatusError,
  isTransportError,
  judge,
  StatusError,
  TransportError,
} from './protocol/index.js';
export type {
  ClientError,
  DecodeIssue,
  RequestSummary,
  StatusDetails,
  TransportFailure,
} from './protocol/index.js';
