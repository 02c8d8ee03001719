// The consumer process, which is killed during the run: a watch for each identity, with its checkpoint in a file.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { defer, EMPTY, fromEvent, merge, retry, takeUntil, tap } from 'rxjs';
import { createClient, fromFetch, type Checkpoint, type IdentityEventList, type LogEntry } from 'lobby-rx';
import { readJournal } from './journal.js';
import type { ConsumerFigures, TestIdentity, ToConsumer } from './messages.js';

const heap = () => {
  global.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
};

process.once('message', (message: ToConsumer) => {
  if (message.kind === 'start') start(message);
});
process.on('disconnect', () => process.exit());

function start({ port, identities, file, plan }: Extract<ToConsumer, { kind: 'start' }>): void {
  const url = `http://127.0.0.1:${port}`;
  const urls = { groupUrl: `${url}/group`, matchmakerUrl: `${url}/matchmaker`, apiUrl: `${url}/api` };
  const known = existsSync(file) ? readJournal(readFileSync(file, 'utf8')) : new Map<string, never>();
  // One line for each batch, with its index and its effects, so that both are written or neither.
  const write = (line: readonly unknown[]) => appendFileSync(file, `${JSON.stringify(line)}\n`);

  let heapAtStart = 0;
  let longestSilence = 0;
  let maxRequests = 0;

  const follow = (identity: TestIdentity) => {
    const requests: number[] = [];
    const log = (entry: LogEntry) => {
      if (entry.kind !== 'request') return;
      requests.push(entry.at);
      while (requests[0]! < entry.at - 60_000) requests.shift();
      if (requests.length <= maxRequests) return;
      maxRequests = requests.length;
      write(['', 'maxRequests', maxRequests]);
    };
    const client = createClient({
      ...urls,
      token: () => identity.token,
      transport: fromFetch({ bodyDeadline: 1_000 }),
      watch: { deadline: plan.deadline, retention: plan.retention, minInterval: 100 },
      backoff: { initial: 20, max: 500 },
      linger: 0,
      log,
    });
    let checkpoint = known.get(identity.identity_id)?.checkpoint;
    let lastEventAt = Date.now();
    const ack = ({ events }: IdentityEventList, newCheckpoint: Checkpoint) =>
      defer(() => {
        checkpoint = newCheckpoint;
        const work = events.map(event => (event.kind === 'unknown' ? event.payload : event.kind));
        write([identity.identity_id, 'batch', checkpoint, work]);
        if (work.length > 0) {
          const silence = Date.now() - lastEventAt;
          lastEventAt = Date.now();
          if (silence <= longestSilence) return EMPTY;
          longestSilence = silence;
          write(['', 'silence', silence]);
        }
        return EMPTY;
      });
    // In production the operator would handle an error that ends a watch. Here the watch is restarted from its checkpoint.
    return defer(() => {
      if (checkpoint) write([identity.identity_id, 'resumed']);
      return client.events.createFeed({ ...(checkpoint && { from: checkpoint }), ack }).gap$;
    }).pipe(
      tap(({ reason }) => write([identity.identity_id, 'gap', reason])),
      tap({ error: () => write(['', 'ended']) }),
      retry({ delay: 200 }),
    );
  };

  const stop$ = fromEvent(process, 'message');
  merge(...identities.map(follow))
    .pipe(takeUntil(stop$))
    .subscribe({
      complete: () => {
        const figures: ConsumerFigures = { heapAtStart, heapAtEnd: heap() };
        // The process must exit by itself now. Anything that keeps it running is a leak.
        process.send?.({ kind: 'stopped', ...figures }, () => process.disconnect());
      },
    });
  setTimeout(() => (heapAtStart = heap()), 3_000).unref();
}
