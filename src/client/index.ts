export { createClient, type Client } from './client.js';
export type { ClientConfig, ClientWatchConfig, LogEntry } from './client-config.js';
export type { EventsApi, FeedConfig } from './events-api.js';
export {
  distinctMembers,
  ROSTER_DEFAULTS,
  type GroupApi,
  type MembersConfig,
  type Roster,
  type RosterConfig,
} from './group/index.js';
export type { MatchmakerApi } from './matchmaker-api.js';
export { scanState } from './scan-state.js';
export { whyNotConnected, type NotConnected, type RefusalReason } from './why-not-connected.js';
export type { ClientPagesConfig, RequestConfig } from './requests.js';
