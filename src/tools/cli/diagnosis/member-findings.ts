import { map, type Observable } from 'rxjs';
import type { Client } from '../../../client/index.js';
import { either } from '../../../endpoint/index.js';
import { issueText } from '../terminal/index.js';
import { failed, ok, warning, type Finding } from './finding.js';

/**
 * Reads the first page of a group. Checks whether the page can be read, and whether each member on
 * it is as expected.
 */
export function memberFindings({ group }: Pick<Client, 'group'>, group_id: string): Observable<Finding> {
  return group.getMembers({ group_id }).pipe(
    either(),
    map(answer => {
      if (answer._tag === 'Left') return failed('members', answer.left, { argument: '--group' });
      const { members, malformed = [] } = answer.right;
      const all = members.length + malformed.length;
      if (malformed.length === 0) return ok('members', `all ${all} on the first page are as they should be`);
      const [issue] = malformed[0]!.errors;
      const text = `${malformed.length} of ${all} on the first page cannot be read: ${issueText(issue)}`;
      return warning('members', text, 'ask the operators; rosters leave them out, or show them as last seen');
    }),
  );
}
