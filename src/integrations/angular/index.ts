/**
 * The client, the feed, groups and notifications for Angular, as signals.
 *
 * @module lobby-rx/angular
 */

export { LOBBY_CLIENT_REQUEST, withHttpClientCalls } from './http-client-calls.js';
export { injectFeed, type LiveFeed } from './live-feed.js';
export { injectLobbyConnection, type LiveLobbyConnection } from './live-lobby-connection.js';
export { injectRoster, type LiveRoster, type LiveRosterConfig } from './live-roster.js';
export type { LobbyClientConfig } from './lobby-client-config.js';
export { injectLobbyClient, LOBBY_CLIENT, provideLobbyClient, type LobbyClientFeature } from './lobby.js';
export {
  injectNotifications,
  type Notifications,
  type NotificationsConfig,
  type ShownNotification,
} from './notifications/index.js';
export { withOneFeedForAllTabs } from './one-feed-for-all-tabs.js';
export { injectPageHidden, type PauseConfig } from './pausable.js';
export { toResource } from './to-resource.js';
