export type { Client } from './client.js';
export type { ClientConfig } from './client-config.js';
export { createClient } from './create-client.js';
export type { EventsApi } from './events-api.js';
export type { GroupApi, MembersConfig } from './group-api.js';
export { identities, type IdentitiesConfig } from './identities.js';
export type { MatchmakerApi } from './matchmaker-api.js';
export type { Roster } from './roster.js';
export { whyNotConnected } from './why-not-connected.js';
