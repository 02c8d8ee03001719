export { createGroupApi, type GroupApi } from './group-api.js';
export { distinctMembers, type MembersConfig } from './members.js';
export { ROSTER_DEFAULTS, type Roster, type RosterConfig } from './roster.js';
