import { concatMap, finalize, tap, type Observable } from 'rxjs';
import type { GroupMember } from '../protocol/index.js';
import { memberRow } from './member-row.js';
import { printLine } from './print-line.js';
import { runGroup } from './run-group.js';

const HELP = `lobby-rx members GROUP: lists a group's members

  --count N        how many the service is to give at a time
  --group-url URL  where the service is; or LOBBY_GROUP_URL
  --insecure       allows http: to another machine
  --help           prints this

The token of a member comes from LOBBY_TOKEN. On a terminal it prints a table, else one member a line, as JSON.
`;

/** `lobby-rx members`. */
export function members(args: readonly string[]): Promise<void> {
  return runGroup(args, HELP, (group, group_id, config) => {
    const members$ = group.members(group_id, config);
    return process.stdout.isTTY ? members$.pipe(table) : members$.pipe(concatMap(printLine));
  });
}

/** A row each; and where someone looks at the other stream too, how many so far. */
function table(members$: Observable<GroupMember>): Observable<GroupMember> {
  let count = 0;
  const progress = (end: string) => {
    if (process.stderr.isTTY) process.stderr.write(`${count} members${end}`);
  };
  return members$.pipe(
    tap(member => {
      process.stdout.write(`${memberRow(member)}\n`);
      count++;
      progress('\r');
    }),
    finalize(() => progress('\n')),
  );
}
