import { bufferCount, concat, concatMap, EMPTY, from, merge, type Observable } from 'rxjs';
import { cursorArgument } from '../../error/index.js';
import type { IdentityEventList, LiveEvent } from '../../protocol/index.js';
import { KINDS, type Checkpoint } from '../../stream/index.js';
import { openCheckpoint } from './checkpoint/index.js';
import { clientOf, CONNECTION_FLAGS } from './connection-flags.js';
import { parseFlags, secondsIn, shown } from './parse-flags.js';
import { giveUpAfter, reportTrouble } from './report-trouble.js';
import { run } from './run.js';
import { eventRow, jsonLine, printLine } from './terminal/index.js';

/** How many lines to write at once. One by one, they would take seconds. */
const LINES_AT_ONCE = 100;

const IS_FROM_RIGHT = 'is --from an index that this service has given?';

const HELP = `lobby-rx events: follows the live events of an identity

  --kind KIND        prints only this kind: identity_update, unknown, malformed,
                     matchmaker_lobby_join
  --json             prints JSON on a terminal, too
  --from INDEX       resumes from this watch index; default: now
  --checkpoint FILE  resumes from the checkpoint in this file, and keeps it
                     up to date, so that no event is lost between two runs.
                     A later run takes the file over, and an earlier run ends
                     at its next save. Events in a pipe are lost if the reader
                     of the pipe dies. If that matters, let the reader save
                     the index itself, and pass it as --from
  --give-up SECONDS  ends once the service has failed for this long, with exit
                     code 1 or 3; default: tries for ever
  --url URL          URL of the service; default: LOBBY_RX_API_URL, or
                     LOBBY_RX_URL
  --api-url URL      URL of the live events alone; used instead of --url
  --insecure         allows plain http: to another machine
  --help             prints this help

LOBBY_RX_TOKEN is the token of the identity. The output is a line for people on
a terminal, in colour unless NO_COLOR is set; otherwise JSON, one event per
line. Gaps and retries are reported on standard error, lasting trouble each
minute. Runs until Ctrl-C.
`;

/** `lobby-rx events`: prints live events until it is stopped. */
export function events(args: readonly string[]): Promise<void> {
  return run(
    () => {
      const text = { type: 'string' } as const;
      const json = { type: 'boolean', default: false } as const;
      const flags = {
        ...CONNECTION_FLAGS,
        'api-url': text,
        kind: text,
        from: text,
        checkpoint: text,
        'give-up': text,
        json,
      };
      const { values } = parseFlags('events', args, { flags });
      if (values.help) return HELP;
      const kind = kindIn(values.kind);
      if (values.checkpoint !== undefined && values.from !== undefined)
        throw new Error('use either --from or --checkpoint, not both');
      if (values.from !== undefined && !cursorArgument.is(values.from))
        throw new Error(`--from must be the watch index of an answer; got ${shown(values.from)}`);
      if (values.checkpoint === '') throw new Error('--checkpoint must be the path of a file; got nothing');
      const giveUp = secondsIn('--give-up', values['give-up']);
      const client = clientOf('api', values);
      const file = values.checkpoint === undefined ? undefined : openCheckpoint(values.checkpoint);
      const lineOf = process.stdout.isTTY && !values.json ? eventRow : jsonLine;

      // The lines are printed in `ack`. So the checkpoint advances only after the reader has taken
      // them.
      const ack = ({ events: list }: IdentityEventList, checkpoint: Checkpoint): Observable<void> => {
        const wanted = list.filter(event => kind === undefined || event.kind === kind);
        const printed$ = from(wanted).pipe(
          bufferCount(LINES_AT_ONCE),
          concatMap(batch => printLine(batch.map(lineOf).join('\n'))),
        );
        return concat(printed$, file?.save(checkpoint) ?? EMPTY);
      };
      const feed = client.events.createFeed({
        from: file ? file.last : values.from,
        ack,
        linger: 0,
        // Without this, the library would log a failure of `ack`. This command prints it itself.
        log: () => undefined,
      });
      // `signal$` only observes. `all$` lets the feed poll, and fails with the error that ends it.
      const question = values.from === undefined ? undefined : IS_FROM_RIGHT;
      return merge(
        feed.signal$.pipe(giveUpAfter(giveUp), reportTrouble({ question })),
        feed.all$,
        file?.failed$ ?? EMPTY,
      );
    },
    { endless: true },
  );
}

function kindIn(text: string | undefined): LiveEvent['kind'] | undefined {
  const kind = KINDS.find(known => known === text);
  if (text !== undefined && kind === undefined)
    throw new Error(`--kind must be one of ${KINDS.join(', ')}; got ${shown(text)}`);
  return kind;
}
