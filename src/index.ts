/**
 * The client, its streams and endpoints, in Node and in browsers.
 *
 * @module lobby-rx
 */

// The client, and what goes with it.
export { createClient, scanState, whyNotConnected } from './client/index.js';
export type {
  Client,
  ClientConfig,
  ClientPagesConfig,
  ClientWatchConfig,
  EventsApi,
  FeedConfig,
  GroupApi,
  LogEntry,
  MatchmakerApi,
  MembersConfig,
  NotConnected,
  RefusalReason,
  RequestConfig,
  Roster,
  RosterConfig,
} from './client/index.js';

// The player's side of a lobby.
export { isLobbyClosedError, LobbyClosedError, lobbyConnection } from './player/index.js';
export type {
  LobbyClosedReason,
  LobbyConnection,
  LobbyConnectionConfig,
  LobbyEntrance,
  LobbyStatus,
  PlayerMessage,
  WebSocketClass,
  WebSocketLike,
} from './player/index.js';

// Streams over time.
export { backoff, eventFeed, watch, watchSignals } from './stream/index.js';
export type {
  AckDecision,
  AckResult,
  BackoffConfig,
  Checkpoint,
  EventFeed,
  EventFeedConfig,
  Gap,
  GapReason,
  Indexed,
  IndexingConfig,
  Poll,
  PollContext,
  PolledService,
  PollSignal,
  Reading,
  ResumableWatch,
  RetryConfig,
  ServiceConfig,
  SharedWatch,
  TestingConfig,
  WatchConfig,
  WatchLogEntry,
  WatchSharing,
  WatchSignal,
  WatchStatus,
} from './stream/index.js';

// Endpoints: the built-in ones, `endpoint` to declare your own, and their pages.
export {
  either,
  endpoint,
  eventsWatch,
  getMembers,
  pages,
  playersConnected,
  playersDisconnected,
} from './endpoint/index.js';
export type {
  Either,
  Endpoint,
  Endpoints,
  EventsWatchInput,
  GetMembersInput,
  HttpMethod,
  Pageable,
  PagesConfig,
  PathParameter,
  PlayerTokenInput,
  Service,
  Watchable,
} from './endpoint/index.js';

// Transports.
export { explainFailure, fromFetch, withTimeout, withLog, withToken } from './transport/index.js';
export type {
  FetchConfig,
  FetchLike,
  FetchLikeInit,
  FetchLikeResponse,
  RequestLogEntry,
  TokenHooks,
  Token,
  TokenProvider,
  TokenValue,
  Transport,
  TransportRequest,
  TransportResponse,
} from './transport/index.js';

// What kinds of events and endpoints of your own are made of; their codecs, and those of the
// payloads, are in `lobby-rx/codecs`.
export {
  integer,
  jsonObject,
  lobbyAddress,
  nonEmptyString,
  positiveInteger,
  statText,
  struct,
} from './protocol/index.js';
export type {
  AnyCodec,
  AnyStruct,
  Codec,
  EventCodecs,
  Fields,
  FieldsOf,
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
  IdentityUpdateEvent,
  KnownPresenceStatus,
  KnownStatAggregation,
  KnownStatFormat,
  KnownStatSorting,
  LinkedAccessToken,
  LinkedAccount,
  LinkedEmail,
  LiveEvent,
  Lobby,
  LobbyAddress,
  LobbyJoin,
  LobbyJoinEvent,
  LobbyPlayer,
  MalformedEvent,
  MalformedMember,
  NoOwnEvents,
  Notification,
  OwnEvent,
  PayloadsOf,
  Port,
  PortRange,
  Presence,
  Profile,
  ProfileGame,
  ProfileGroup,
  Region,
  Stat,
  StatConfig,
  Struct,
  UnknownEvent,
  WatchData,
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
  isRetryable,
  isTransportError,
  isUnauthorizedError,
  recovery,
  StatusError,
  TransportError,
  UnauthorizedError,
} from './error/index.js';
export type {
  ClientError,
  DecodeIssue,
  Recovery,
  RequestSummary,
  StatusDetails,
  TransportFailure,
} from './error/index.js';
