export { createGroupApi, type GroupApi } from './group-api.js';
export { distinctMembers, type MembersConfig } from './members.js';
export type { Roster, RosterConfig } from './roster.js';
