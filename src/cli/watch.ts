import { parseArgs } from 'node:util';
import { concatMap, map } from 'rxjs';
import type { Roster } from '../client/index.js';
import { clientOf } from './client-of.js';
import { CONNECTION } from './connection.js';
import { groupIn } from './group-in.js';
import { memberRow } from './member-row.js';
import { printLine } from './print-line.js';
import { run } from './run.js';

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
  return run(() => {
    const options = { ...CONNECTION, count: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    if (values.help) return HELP;
    const { group } = clientOf('group', values, process.env);
    const config = values.count === undefined ? {} : { count: Number(values.count) };
    const changes$ = group.roster(groupIn(positionals), config).pipe(concatMap(changesOf));
    return process.stdout.isTTY
      ? changes$.pipe(
          map(({ change, member }) => process.stdout.write(`${SIGNS[change]} ${memberRow(member)}\n`)),
        )
      : changes$.pipe(concatMap(change => printLine(change)));
  });
}

function changesOf(roster: Roster) {
  return CHANGES.flatMap(change => roster[change].map(member => ({ change, member })));
}
