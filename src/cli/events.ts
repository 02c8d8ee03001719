import { parseArgs } from 'node:util';
import { concat, defer, EMPTY, merge, tap, type Observable } from 'rxjs';
import type { IdentityEventList } from '../protocol/index.js';
import type { Checkpoint, EventFeed } from '../stream/index.js';
import { clientOf } from './client-of.js';
import { CONNECTION } from './connection.js';
import { kindIn } from './kind-in.js';
import { KINDS } from './kinds.js';
import { printLine } from './print-line.js';
import { readCheckpoint } from './read-checkpoint.js';
import { run } from './run.js';
import { writeCheckpoint } from './write-checkpoint.js';

const HELP = `lobby-rx events: follows the live events of an identity, one a line, as JSON

  --kind KIND        only these: ${KINDS.join(', ')}
  --from INDEX       goes on from this index; default: from now
  --checkpoint FILE  goes on from where the file says, and keeps it up to date: no event is lost between two runs
  --api-url URL      where the service is; or LOBBY_API_URL
  --insecure         allows http: to another machine
  --help             prints this

The token of the identity comes from LOBBY_TOKEN. Gaps and trouble are told on standard error. It runs until Ctrl-C.
`;

/** `lobby-rx events`. */
export function events(args: readonly string[]): Promise<void> {
  return run(
    () => {
      const text = { type: 'string' } as const;
      const options = { ...CONNECTION, kind: text, from: text, checkpoint: text };
      const { values } = parseArgs({ args: [...args], options });
      if (values.help) return HELP;
      const kind = kindIn(values.kind);
      const file = values.checkpoint;
      if (file !== undefined && values.from !== undefined)
        throw new Error('give --from or --checkpoint, not both');
      const client = clientOf('api', values, process.env);

      // Printed in the acknowledgement: the checkpoint moves on only when whoever reads has taken the lines.
      const ack = ({ events: list }: IdentityEventList, checkpoint: Checkpoint): Observable<unknown> => {
        const wanted = list.filter(event => kind === undefined || event.kind === kind);
        const save$ = defer(() => {
          if (file !== undefined) writeCheckpoint(file, checkpoint);
          return EMPTY;
        });
        return concat(...wanted.map(event => printLine(event)), save$);
      };
      const from = file === undefined ? values.from : readCheckpoint(file);
      return trouble(client.events.createFeed({ from, ack }));
    },
    { endless: true },
  );
}

/** Follows a feed, and tells on standard error where events may be missing, and where it does not get on. */
function trouble({ gap$, status$ }: EventFeed): Observable<unknown> {
  const tell = (text: string) => process.stderr.write(`lobby-rx: ${text}\n`);
  return merge(
    gap$.pipe(tap(({ reason }) => tell(`events may be missing here: ${reason}`))),
    status$.pipe(
      tap(({ attempt, error }) => {
        if (attempt === 1 && error instanceof Error) tell(`trying again: ${error.message}`);
      }),
    ),
  );
}
