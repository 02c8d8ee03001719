// The process that consumes, and is killed: a watch for each identity, with its checkpoint in a file.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { defer, EMPTY, fromEvent, merge, retry, takeUntil, tap } from 'rxjs';
import { createClient, fromFetch, type Checkpoint, type IdentityEventList, type LogEntry } from 'lobby-rx';
import { readJournal } from './journal.js';
import type { ConsumerFigures, Owner, ToConsumer } from './messages.js';

const heap = () => {
  global.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
};

process.once('message', (message: ToConsumer) => {
  if (message.kind === 'start') start(message);
});
process.on('disconnect', () => process.exit());

function start({ port, owners, file, plan }: Extract<ToConsumer, { kind: 'start' }>): void {
  const url = `http://127.0.0.1:${port}`;
  const urls = { groupUrl: `${url}/group`, matchmakerUrl: `${url}/matchmaker`, apiUrl: `${url}/api` };
  const known = existsSync(file) ? readJournal(readFileSync(file, 'utf8')) : new Map<string, never>();
  // One line for each batch, its index and its effects together: written whole or not at all.
  const write = (line: readonly unknown[]) => appendFileSync(file, `${JSON.stringify(line)}\n`);

  let heapAtStart = 0;
  let longestSilence = 0;
  let worst = 0;

  const follow = (owner: Owner) => {
    const requests: number[] = [];
    const log = (entry: LogEntry) => {
      if (entry.kind !== 'request') return;
      requests.push(entry.at);
      while (requests[0]! < entry.at - 60_000) requests.shift();
      if (requests.length <= worst) return;
      worst = requests.length;
      write(['', 'worst', worst]);
    };
    const client = createClient({
      ...urls,
      token: () => owner.token,
      transport: fromFetch({ bodyDeadline: 1_000 }),
      watch: { deadline: plan.deadline, retention: plan.retention, minInterval: 100 },
      backoff: { initial: 20, max: 500 },
      linger: 0,
      log,
    });
    let checkpoint = known.get(owner.identity_id)?.checkpoint;
    let heard = Date.now();
    const ack = ({ events }: IdentityEventList, reached: Checkpoint) =>
      defer(() => {
        checkpoint = reached;
        const work = events.map(event => (event.kind === 'unknown' ? event.payload : event.kind));
        write([owner.identity_id, 'batch', checkpoint, work]);
        if (work.length > 0) {
          const silence = Date.now() - heard;
          heard = Date.now();
          if (silence <= longestSilence) return EMPTY;
          longestSilence = silence;
          write(['', 'silence', silence]);
        }
        return EMPTY;
      });
    // A terminal error is the operator's to deal with; here he starts the watch again, from where it stood.
    return defer(() => {
      if (checkpoint) write([owner.identity_id, 'resumed']);
      return client.events.createFeed({ ...(checkpoint && { from: checkpoint }), ack }).gap$;
    }).pipe(
      tap(({ reason }) => write([owner.identity_id, 'gap', reason])),
      tap({ error: () => write(['', 'ended']) }),
      retry({ delay: 200 }),
    );
  };

  const stop$ = fromEvent(process, 'message');
  merge(...owners.map(follow))
    .pipe(takeUntil(stop$))
    .subscribe({
      complete: () => {
        const figures: ConsumerFigures = { heapAtStart, heapAtEnd: heap() };
        // What still holds the process now is a leak: it has to end by itself.
        process.send?.({ kind: 'stopped', ...figures }, () => process.disconnect());
      },
    });
  setTimeout(() => (heapAtStart = heap()), 3_000).unref();
}
