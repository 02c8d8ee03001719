import { concatMap, tap } from 'rxjs';
import type { Roster } from '../../client/index.js';
import type { GroupMember } from '../../protocol/index.js';
import { giveUpAfter, reportTrouble } from './report-trouble.js';
import { runGroupCommand } from './run-group-command.js';
import { jsonLine, malformedText, memberRow, printLine, warn } from './terminal/index.js';

const HELP = `lobby-rx watch GROUP: follows who joins a group, who leaves it and who changes

  --count N          members to request per watched page; default: 1000
  --give-up SECONDS  ends once the service has failed for this long, with exit
                     code 1 or 3; default: tries for ever
  --json             prints JSON on a terminal, too
  --url URL          URL of the service; default: LOBBY_RX_GROUP_URL or
                     LOBBY_RX_URL
  --group-url URL    URL of groups alone; used instead of --url
  --insecure         allows plain http: to another machine
  --help             prints this help

LOBBY_RX_TOKEN is the token of a member. At the start every member counts as
joined. The output is rows on a terminal, otherwise JSON, one change per line:
{"change":"joined"|"left"|"updated","member":{…}}. Gaps, retries and members
that cannot be read are reported on standard error, lasting trouble each minute.
Runs until Ctrl-C.
`;

const CHANGES = ['joined', 'left', 'updated'] as const;
const SIGNS = { joined: '+', left: '-', updated: '~' } as const;

interface Change {
  readonly change: (typeof CHANGES)[number];
  readonly member: GroupMember;
}

/** `lobby-rx watch`: prints the changes of a group until it is stopped. */
export function watch(args: readonly string[]): Promise<void> {
  return runGroupCommand(args, {
    name: 'watch',
    help: HELP,
    endless: true,
    work: ({ group, group_id, config, giveUp, isForPeople }) =>
      group.rosterSignals(group_id, config).pipe(
        giveUpAfter(giveUp),
        reportTrouble(),
        tap(reportMalformed()),
        concatMap(changesOf),
        concatMap(change => printLine(isForPeople ? changeRow(change) : jsonLine(change))),
      ),
  });
}

/** Warns once about each member that cannot be read. Warns again if it could be read in between. */
function reportMalformed() {
  let known: readonly string[] = [];
  return ({ malformed = [] }: Roster): void => {
    const texts = malformed.map(malformedText);
    for (const text of texts) {
      if (!known.includes(text)) warn(text);
    }
    known = texts;
  };
}

function changesOf(roster: Roster): readonly Change[] {
  return CHANGES.flatMap(change => roster[change].map(member => ({ change, member })));
}

function changeRow({ change, member }: Change): string {
  return `${SIGNS[change]} ${memberRow(member)}`;
}
