import { concatMap, map } from 'rxjs';
import type { Roster } from '../client/index.js';
import { memberRow } from './member-row.js';
import { printLine } from './print-line.js';
import { runGroupCommand, type GroupWork } from './run-group-command.js';

const HELP = `lobby-rx watch GROUP: follows who joins a group, who leaves it and who changes

  --count N        members to request per watched page; default: 1000
  --url URL        base URL of the service; default: LOBBY_GROUP_URL or LOBBY_URL
  --insecure       allows plain http: to another machine
  --help           prints this help

LOBBY_TOKEN is the token of a member. At the start every member counts as joined. The output
is rows on a terminal, otherwise JSON, one change per line:
{"change":"joined"|"left"|"updated","member":{…}}. Runs until Ctrl-C.
`;

const CHANGES = ['joined', 'left', 'updated'] as const;
const SIGNS = { joined: '+', left: '-', updated: '~' } as const;

/** `lobby-rx watch`: prints the changes of a group until it is stopped. */
export function watch(args: readonly string[]): Promise<void> {
  const work: GroupWork = (group, group_id, config) => {
    const changes$ = group.roster(group_id, config).pipe(concatMap(changesOf));
    if (!process.stdout.isTTY) return changes$.pipe(concatMap(printLine));
    return changes$.pipe(
      map(({ change, member }) => process.stdout.write(`${SIGNS[change]} ${memberRow(member)}\n`)),
    );
  };
  return runGroupCommand(args, HELP, work, { endless: true });
}

function changesOf(roster: Roster) {
  return CHANGES.flatMap(change => roster[change].map(member => ({ change, member })));
}
