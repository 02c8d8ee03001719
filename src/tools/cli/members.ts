import { concat, concatMap, defer, EMPTY, finalize, tap, type Observable } from 'rxjs';
import { distinctMembers } from '../../client/index.js';
import type { GroupMember } from '../../protocol/index.js';
import { runGroupCommand } from './run-group-command.js';
import { jsonLine, malformedText, memberRow, printLine, warn } from './terminal/index.js';

const HELP = `lobby-rx members GROUP: lists the members of a group

  --count N        members to request per page; default: chosen by the service
  --json           prints JSON on a terminal, too
  --url URL        URL of the service; default: LOBBY_RX_GROUP_URL or
                   LOBBY_RX_URL
  --group-url URL  URL of groups alone; used instead of --url
  --insecure       allows plain http: to another machine
  --help           prints this help

LOBBY_RX_TOKEN is the token of a member. The output is a table on a terminal,
otherwise JSON, one member per line. If a page cannot be read, the list ends
there: standard error says so, and the exit code is not 0. Members that cannot
be read are left out, and named there, too.
`;

/** `lobby-rx members`: lists the members of a group and exits. */
export function members(args: readonly string[]): Promise<void> {
  return runGroupCommand(args, {
    name: 'members',
    help: HELP,
    work: ({ group, group_id, config, isForPeople }) =>
      group.memberPages(group_id, config).pipe(
        tap(({ malformed = [] }) => malformed.forEach(member => warn(malformedText(member)))),
        distinctMembers(),
        print(isForPeople ? memberRow : jsonLine, isForPeople),
      ),
  });
}

/** Prints a line for each member, and a running count if people read that on standard error. */
function print(lineOf: (member: GroupMember) => string, isForPeople: boolean) {
  const isCounting = isForPeople && process.stderr.isTTY;
  return (members$: Observable<GroupMember>): Observable<never> => {
    let count = 0;
    const progress = (end: string) => {
      if (isCounting) process.stderr.write(`${counted(count)}${end}`);
    };
    const printed = (member: GroupMember) =>
      concat(
        printLine(lineOf(member)),
        defer(() => {
          count++;
          progress('\r');
          return EMPTY;
        }),
      );
    return members$.pipe(
      concatMap(printed),
      finalize(() => progress('\n')),
      tap({
        error: () => {
          if (count > 0) warn(`the list is incomplete: it ends after ${counted(count)}`);
        },
      }),
    );
  };
}

const counted = (count: number) => `${count} ${count === 1 ? 'member' : 'members'}`;
