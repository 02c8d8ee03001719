import { parseArgs } from 'node:util';
import { concat, defer, EMPTY, merge, tap, type Observable } from 'rxjs';
import type { IdentityEventList, LiveEvent } from '../protocol/index.js';
import type { Checkpoint, EventFeed } from '../stream/index.js';
import { checkpointFile } from './checkpoint-file.js';
import { clientOf, CONNECTION } from './connection.js';
import { printLine } from './print-line.js';
import { run } from './run.js';

const KINDS: readonly LiveEvent['kind'][] = [
  'identity_update',
  'matchmaker_lobby_join',
  'unknown',
  'malformed',
];

const HELP = `lobby-rx events: follows the live events of an identity, as JSON, one event per line

  --kind KIND        prints only this kind:
                     ${KINDS.join(', ')}
  --from INDEX       resumes from this watch index; default: now
  --checkpoint FILE  resumes from the checkpoint in this file, and keeps it up to date so that
                     no event is lost between two runs
  --url URL          base URL of the service; default: LOBBY_API_URL or LOBBY_URL
  --insecure         allows plain http: to another machine
  --help             prints this help

LOBBY_TOKEN is the token of the identity. Gaps and retries are reported on standard error.
Runs until Ctrl-C.
`;

/** `lobby-rx events`: prints live events until it is stopped. */
export function events(args: readonly string[]): Promise<void> {
  return run(
    () => {
      const text = { type: 'string' } as const;
      const options = { ...CONNECTION, kind: text, from: text, checkpoint: text };
      const { values } = parseArgs({ args: [...args], options });
      if (values.help) return HELP;
      const kind = kindIn(values.kind);
      if (values.checkpoint !== undefined && values.from !== undefined)
        throw new Error('use either --from or --checkpoint, not both');
      const file = values.checkpoint === undefined ? undefined : checkpointFile(values.checkpoint);
      const client = clientOf('api', values, process.env);

      // Printed in `ack`, so that the checkpoint advances only after the reader has taken the lines.
      const ack = ({ events: list }: IdentityEventList, checkpoint: Checkpoint): Observable<unknown> => {
        const wanted = list.filter(event => kind === undefined || event.kind === kind);
        const save$ = defer(() => {
          file?.write(checkpoint);
          return EMPTY;
        });
        return concat(...wanted.map(event => printLine(event)), save$);
      };
      const from = file ? file.read() : values.from;
      return reportTrouble(client.events.createFeed({ from, ack }));
    },
    { endless: true },
  );
}

function kindIn(text: string | undefined): LiveEvent['kind'] | undefined {
  const kind = KINDS.find(known => known === text);
  if (text !== undefined && kind === undefined)
    throw new Error(`--kind must be one of ${KINDS.join(', ')}; got '${text}'`);
  return kind;
}

/** Runs a feed, and reports each gap and the first of consecutive failures on standard error. */
function reportTrouble({ gap$, status$ }: EventFeed): Observable<unknown> {
  const report = (text: string) => process.stderr.write(`lobby-rx: ${text}\n`);
  return merge(
    gap$.pipe(tap(({ reason }) => report(`events may be missing here: ${reason}`))),
    status$.pipe(
      tap(({ attempt, error }) => {
        if (attempt === 1 && error instanceof Error) report(`retrying: ${error.message}`);
      }),
    ),
  );
}
