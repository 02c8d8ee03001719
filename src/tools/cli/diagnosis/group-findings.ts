import { map, take, toArray, type Observable } from 'rxjs';
import type { Client } from '../../../client/index.js';
import { either } from '../../../endpoint/index.js';
import { failed, ok, warning, type Finding } from './finding.js';

/** The most pages to read. */
const PAGES = 50;

/** Reads the pages of a group: whether there is an end to them. */
export function groupFindings(client: Pick<Client, 'group'>, group_id: string): Observable<Finding> {
  return client.group.memberPages(group_id).pipe(
    take(PAGES),
    either(),
    toArray(),
    map(answers => {
      const last = answers.at(-1);
      if (last?._tag === 'Left') return failed('group', last.left);
      const count = answers.reduce(
        (sum, one) => sum + (one._tag === 'Right' ? one.right.members.length : 0),
        0,
      );
      const text = `${count} members on ${answers.length} pages`;
      if (!last?.right.anchor) return ok('group', text);
      if (answers.length === PAGES)
        return warning('group', `${text}, and there are more`, 'nothing, if it is that large');
      return warning(
        'group',
        `${text}; the next one repeats them`,
        'tell the operators: members may be missing',
      );
    }),
  );
}
