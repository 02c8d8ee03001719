import { concatMap, map } from 'rxjs';
import type { Roster } from '../client/index.js';
import { memberRow } from './member-row.js';
import { printLine } from './print-line.js';
import { runGroup, type GroupWork } from './run-group.js';

const HELP = `lobby-rx watch GROUP: tells who joins a group, who leaves it, and who is different

  --count N        how many members a watched page has; default 1000
  --group-url URL  where the service is; or LOBBY_GROUP_URL
  --insecure       allows http: to another machine
  --help           prints this

The token of a member comes from LOBBY_TOKEN. At first everyone has joined. On a terminal it prints rows, else one change
a line, as JSON: {"change":"joined"|"left"|"updated","member":{…}}. It runs until Ctrl-C.
`;

const CHANGES = ['joined', 'left', 'updated'] as const;
const SIGNS = { joined: '+', left: '-', updated: '~' } as const;

/** `lobby-rx watch`. */
export function watch(args: readonly string[]): Promise<void> {
  const work: GroupWork = (group, group_id, config) => {
    const changes$ = group.roster(group_id, config).pipe(concatMap(changesOf));
    if (!process.stdout.isTTY) return changes$.pipe(concatMap(printLine));
    return changes$.pipe(
      map(({ change, member }) => process.stdout.write(`${SIGNS[change]} ${memberRow(member)}\n`)),
    );
  };
  return runGroup(args, HELP, work, { endless: true });
}

function changesOf(roster: Roster) {
  return CHANGES.flatMap(change => roster[change].map(member => ({ change, member })));
}
