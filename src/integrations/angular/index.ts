/**
 * The client, the feed, groups and notifications for Angular, as signals.
 *
 * @module lobby-rx/angular
 */

export { LOBBY_CLIENT_REQUEST, withHttpClientCalls } from './http-client-calls.js';
export { injectFeed, type LiveFeed } from './live-feed.js';
export { injectLobbyConnection, type LiveLobbyConnection } from './live-lobby-connection.js';
export { injectRoster, type LiveRoster } from './live-roster.js';
export type { LobbyClientConfig } from './lobby-client-config.js';
export { injectLobbyClient, LOBBY_CLIENT, provideLobbyClient, type LobbyClientFeature } from './lobby.js';
export { injectNotifications, type Notifications, type NotificationsConfig } from './notifications.js';
export type { ShownNotification } from './shown-notifications.js';
export { withOneFeedForAllTabs } from './one-feed-for-all-tabs.js';
