export { createClient, type Client } from './client.js';
export type { ClientConfig, ClientWatchConfig, LogEntry } from './client-config.js';
export type { EventsApi, FeedConfig } from './events-api.js';
export type { GroupApi, MembersConfig, Roster, RosterConfig } from './group/index.js';
export type { MatchmakerApi } from './matchmaker-api.js';
export { fold } from './fold.js';
export { whyNotConnected, type NotConnected, type RefusalReason } from './why-not-connected.js';
export type { ClientPagesConfig, RequestConfig } from './requests.js';
