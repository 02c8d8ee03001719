/**
 * The codecs of the payloads: for an `endpoint()` of your own, and for those who decode by
 * themselves. Most names are both a codec and the type that it decodes to.
 *
 * @module lobby-rx/codecs
 */

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
  LinkedAccessToken,
  LinkedAccount,
  LinkedEmail,
  Lobby,
  LobbyJoin,
  LobbyPlayer,
  Notification,
  Port,
  PortRange,
  Presence,
  Profile,
  ProfileGame,
  ProfileGroup,
  RawEventList,
  Region,
  Stat,
  StatConfig,
  WatchData,
} from './protocol/index.js';
export type { EventListCodec } from './protocol/index.js';
