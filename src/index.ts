/**
 * The client, its streams and endpoints, in Node and in browsers.
 *
 * @module lobby-rx
 */

// The client, and what goes with it.
export { createClient, fold, identities, ramp, whyNotConnected } from './client/index.js';
export type {
  Client,
  ClientConfig,
  EventsApi,
  FeedConfig,
  GroupApi,
  IdentitiesConfig,
  LogEntry,
  MatchmakerApi,
  MembersConfig,
  NotConnected,
  RampConfig,
  RefusalReason,
  RequestConfig,
  Roster,
  RosterConfig,
} from './client/index.js';

// Streams over time.
export {
  answers,
  backoff,
  clockJumps,
  eventFeed,
  heldWhile,
  ofKind,
  watch,
  watchSignals,
} from './stream/index.js';
export type {
  AckDecision,
  AckResult,
  BackoffConfig,
  Checkpoint,
  ClockJumpsConfig,
  EventFeed,
  EventFeedConfig,
  Gap,
  GapReason,
  HeldWhileConfig,
  Poll,
  PollContext,
  ResumableWatch,
  RetryConfig,
  SharedWatch,
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
  rawEventsWatch,
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
export {
  explainFailure,
  fromFetch,
  fromRecording,
  withTimeout,
  withLog,
  withRecording,
  withToken,
} from './transport/index.js';
export type {
  FetchConfig,
  FetchLike,
  FetchLikeInit,
  FetchLikeResponse,
  RecordedLine,
  RecordingConfig,
  Redacted,
  ReplayConfig,
  RequestLogEntry,
  Token,
  TokenProvider,
  TokenValue,
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
  RawEventList,
  Region,
  Stat,
  StatConfig,
  statText,
  struct,
  WatchData,
} from './protocol/index.js';
export type {
  AnyCodec,
  AnyStruct,
  Codec,
  EventCodecs,
  Fields,
  FieldsOf,
  IdentityUpdateEvent,
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
