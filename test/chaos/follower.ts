import { appendFileSync } from 'node:fs';
import { Subject, takeUntil, type Observable } from 'rxjs';
import { createClient, fromFetch, type Client, type LiveEvent } from 'lobby-rx';
import type { FollowerFigures, RoutedIdentity, StartFollower, ToFollower } from './messages.js';

/** What a consumer, a visitor or a returner works with. */
export interface Follower {
  readonly start: StartFollower;
  /** Appends a line to the journal: as a whole, or not at all. */
  readonly write: (...line: readonly unknown[]) => void;
  readonly clientFor: (identity: RoutedIdentity) => Client;
}

/**
 * Follows from the message to start until the one to stop. `next` may throw; `onThrow` is called
 * when it should.
 */
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
    setTimeout(() => {
      heapAtStart = heap();
    }, 3_000).unref();
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
  const { timeout, retention, minInterval } = start.plan;
  return {
    start,
    write: (...line) => appendFileSync(start.file, `${JSON.stringify(line)}\n`),
    clientFor: ({ token, port }) => {
      const url = `http://127.0.0.1:${port}`;
      return createClient({
        groupUrl: `${url}/group`,
        matchmakerUrl: `${url}/matchmaker`,
        apiUrl: `${url}/api`,
        token: () => token,
        transport: fromFetch({ bodyIdleTimeout: 1_000 }),
        watch: {
          backoff: { initial: 20, max: 500 },
          timeout,
          retention,
          minInterval,
          quota: Infinity,
        },
      });
    },
  };
}
