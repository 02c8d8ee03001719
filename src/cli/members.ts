import { concatMap, finalize, tap, type Observable } from 'rxjs';
import type { GroupMember } from '../protocol/index.js';
import { memberRow } from './member-row.js';
import { printLine } from './print-line.js';
import { runGroupCommand } from './run-group-command.js';

const HELP = `lobby-rx members GROUP: lists the members of a group

  --count N        members to request per page; default: chosen by the service
  --url URL        base URL of the service; default: LOBBY_GROUP_URL or LOBBY_URL
  --insecure       allows plain http: to another machine
  --help           prints this help

LOBBY_TOKEN is the token of a member. The output is a table on a terminal, otherwise JSON, one
member per line.
`;

/** `lobby-rx members`: lists the members of a group and exits. */
export function members(args: readonly string[]): Promise<void> {
  return runGroupCommand(args, HELP, (group, group_id, config) => {
    const members$ = group.members(group_id, config);
    return process.stdout.isTTY ? members$.pipe(table) : members$.pipe(concatMap(printLine));
  });
}

/** Prints a row for each member, and a running count if standard error is a terminal. */
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
