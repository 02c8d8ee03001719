import { getMembers } from '../endpoint/index.js';
import { answers } from '../stream/index.js';
import type { Calls } from './calls.js';
import { distinctMembers } from './distinct-members.js';
import type { GroupApi } from './group-api.js';
import { isRepeatedPage } from './is-repeated-page.js';
import { sameMembers } from './same-members.js';

/** The calls that concern groups, under the names of the interface document. */
export function createGroupApi({ request, signals, pages }: Calls): GroupApi {
  const memberPages: GroupApi['memberPages'] = (group_id, { count } = {}) =>
    pages(getMembers, { group_id, count }, { isRepeat: isRepeatedPage });
  return {
    getMembers: input => request(getMembers, input),
    memberPages,
    members: (group_id, config) => memberPages(group_id, config).pipe(distinctMembers()),
    watchMembers: (group_id, { count, ...config } = {}) =>
      signals(getMembers, { group_id, count }, { isRepeat: sameMembers, ...config }).pipe(answers()),
  };
}
