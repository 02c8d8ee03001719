import { cursorArgument, GroupMemberList, positiveInteger, struct } from '../protocol/index.js';
import { endpoint } from './endpoint.js';

/** group.getMembers: one page of a group's members (interface document, 4.1). */
export const getMembers = endpoint({
  method: 'GET',
  service: 'group',
  path: '/v1/groups/{group_id}/members',
  query: struct({}, { anchor: cursorArgument, count: positiveInteger, watch_index: cursorArgument }),
  response: GroupMemberList,
});
