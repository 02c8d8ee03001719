export {
  Acknowledged,
  aCodec,
  cursorArgument,
  decodeBy,
  integer,
  jsonObject,
  nonEmptyString,
  positiveInteger,
  ServiceOk,
  struct,
  type AnyCodec,
  type AnyStruct,
  type Codec,
  type Fields,
  type FieldsOf,
  type Flat,
  type Struct,
} from './codec.js';
export { decodeIssues } from './decode-issues.js';
export { detailsOf, ErrorBody, RAY_ID, saysNothing } from './error-body.js';
export {
  GameHandle,
  Stat,
  StatConfig,
  type KnownStatAggregation,
  type KnownStatFormat,
  type KnownStatSorting,
} from './game.js';
export { jsonEqual, jsonHash, textHash } from './json.js';
export { GroupExternal, GroupHandle } from './group.js';
export { GroupMember, GroupMemberList, type MalformedMember } from './group-member-list.js';
export {
  GameActivity,
  IdentityExternal,
  IdentityHandle,
  LinkedAccessToken,
  LinkedAccount,
  LinkedEmail,
  Presence,
  Profile,
  ProfileGame,
  ProfileGroup,
  type KnownPresenceStatus,
} from './identity.js';
export {
  decodedEvents,
  identityEventList,
  IdentityEventList,
  RawEventList,
  type EventListCodec,
} from './identity-event-list.js';
export {
  IdentityUpdate,
  Notification,
  type EventCodecs,
  type IdentityUpdateEvent,
  type LiveEvent,
  type LobbyJoinEvent,
  type MalformedEvent,
  type NoOwnEvents,
  type OwnEvent,
  type PayloadsOf,
  type UnknownEvent,
} from './live-event.js';
export { Lobby, LobbyJoin, LobbyPlayer, Port, PortRange, Region, RESERVATION_MS } from './lobby.js';
export { lobbyAddress, type LobbyAddress } from './lobby-address.js';
export { statText } from './stat-text.js';
export { WatchData } from './watch-data.js';
