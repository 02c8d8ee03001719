export { createGroupApi, type GroupApi, type RosterConfig } from './group-api.js';
export type { MembersConfig } from './members.js';
export type { Roster } from './roster.js';
