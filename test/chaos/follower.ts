import { appendFileSync } from 'node:fs';
import { Subject, takeUntil, type Observable } from 'rxjs';
import { createClient, fromFetch, type Client, type LiveEvent, type LogEntry } from 'lobby-rx';
import type { FollowerFigures, StartFollower, TestIdentity, ToFollower } from './messages.js';

/** What a consumer or a visitor works with. */
export interface Follower {
  readonly start: StartFollower;
  /** Appends a line to the journal: as a whole, or not at all. */
  readonly write: (...line: readonly unknown[]) => void;
  readonly clientFor: (identity: TestIdentity) => Client;
}

/** Follows from when the process is told to start until it is told to stop. `next` may throw; `onThrow` is called when it should. */
export function runFollower<T>(
  follow: (follower: Follower) => Observable<T>,
  next: (value: T) => void,
  onThrow: () => void,
): void {
  const stop$ = new Subject<void>();
  const heap = () => {
    global.gc?.();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  let heapAtStart = 0;
  const begin = (start: StartFollower) => {
    const complete = () => {
      const figures: FollowerFigures = { kind: 'stopped', heapAtStart, heapAtEnd: heap() };
      // The process must exit by itself now. Anything that keeps it running is a leak.
      process.send?.(figures, () => process.disconnect());
    };
    follow(createFollower(start)).pipe(takeUntil(stop$)).subscribe({ next, complete });
    setTimeout(() => (heapAtStart = heap()), 3_000).unref();
  };
  let isStopped = false;
  // The process that started it may have been killed.
  process.on('disconnect', () => isStopped || process.exit());
  process.on('message', (message: ToFollower) => {
    if (message.kind === 'start') begin(message);
    else if (message.kind === 'throw') onThrow();
    else {
      isStopped = true;
      stop$.next();
    }
  });
}

/** What to write down of an event: the number that the run has given it. */
export function workOf(event: LiveEvent): unknown {
  return event.kind === 'unknown' ? event.payload : event.kind;
}

function createFollower(start: StartFollower): Follower {
  const { port, file, plan } = start;
  const url = `http://127.0.0.1:${port}`;
  const write = (...line: readonly unknown[]) => appendFileSync(file, `${JSON.stringify(line)}\n`);
  let maxRequests = 0;
  const countRequests = () => {
    const requests: number[] = [];
    return (entry: LogEntry) => {
      if (entry.kind !== 'request') return;
      requests.push(entry.at);
      while (requests[0]! < entry.at - 60_000) requests.shift();
      if (requests.length <= maxRequests) return;
      maxRequests = requests.length;
      write('', 'maxRequests', maxRequests);
    };
  };
  return {
    start,
    write,
    clientFor: ({ token }) =>
      createClient({
        ...{ groupUrl: `${url}/group`, matchmakerUrl: `${url}/matchmaker`, apiUrl: `${url}/api` },
        token: () => token,
        transport: fromFetch({ bodySilence: 1_000 }),
        watch: { deadline: plan.deadline, retention: plan.retention, minInterval: 100 },
        backoff: { initial: 20, max: 500 },
        log: countRequests(),
      }),
  };
}
