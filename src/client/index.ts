export { createClient, type Client } from './client.js';
export type { ClientConfig, LogEntry } from './client-config.js';
export type { EventsApi, FeedConfig } from './events-api.js';
export type { GroupApi, RosterConfig } from './group-api.js';
export { identities, type IdentitiesConfig } from './identities.js';
export type { MatchmakerApi } from './matchmaker-api.js';
export type { MembersConfig } from './members.js';
export type { Roster } from './roster.js';
export { whyNotConnected, type NotConnected, type RefusalReason } from './why-not-connected.js';
