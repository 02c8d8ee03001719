import { parseArgs } from 'node:util';
import { concatMap, finalize, tap, type Observable } from 'rxjs';
import type { GroupMember } from '../protocol/index.js';
import { clientOf } from './client-of.js';
import { CONNECTION } from './connection.js';
import { groupIn } from './group-in.js';
import { memberRow } from './member-row.js';
import { printLine } from './print-line.js';
import { run } from './run.js';

const HELP = `lobby-rx members GROUP: lists a group's members

  --count N        how many the service is to give at a time
  --group-url URL  where the service is; or LOBBY_GROUP_URL
  --insecure       allows http: to another machine
  --help           prints this

The token of a member comes from LOBBY_TOKEN. On a terminal it prints a table, else one member a line, as JSON.
`;

/** `lobby-rx members`. */
export function members(args: readonly string[]): Promise<void> {
  return run(() => {
    const options = { ...CONNECTION, count: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    if (values.help) return HELP;
    const { group } = clientOf('group', values, process.env);
    const config = values.count === undefined ? {} : { count: Number(values.count) };
    const members$ = group.members(groupIn(positionals), config);
    return process.stdout.isTTY
      ? members$.pipe(table)
      : members$.pipe(concatMap(member => printLine(member)));
  });
}

/** A row each, and on the other stream how many so far. */
function table(members$: Observable<GroupMember>): Observable<GroupMember> {
  let count = 0;
  return members$.pipe(
    tap(member => {
      process.stdout.write(`${memberRow(member)}\n`);
      process.stderr.write(`\r${++count} members\r`);
    }),
    finalize(() => process.stderr.write(`${count} members\n`)),
  );
}
