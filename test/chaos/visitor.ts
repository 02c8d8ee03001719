// The visitor process: feeds that are left and come back to, within batches too. They keep their
// place without checkpoints.
import {
  concat,
  defer,
  ignoreElements,
  EMPTY,
  map,
  merge,
  repeat,
  retry,
  take,
  takeUntil,
  tap,
  timer,
  type MonoTypeOperatorFunction,
  type Observable,
} from 'rxjs';
import { runFollower, workOf, type Follower } from './follower.js';

/** How long a visit takes, and how long the visitor stays away, in ms, at most. */
const STAY = 1_500;
const AWAY = 3_000;

runFollower(
  follow,
  () => undefined,
  () => undefined,
);

function follow({ start: { identities, plan }, write, clientFor }: Follower): Observable<unknown> {
  const feeds = identities.map((identity, i) => {
    const { identity_id } = identity;
    const feed = clientFor(identity).events.createFeed({ linger: i % 2 === 0 ? 0 : 1_000 });
    const visits$ = defer(() => {
      write('', 'visit');
      return concat(
        feed.all$.pipe(
          aVisit(plan.bulk),
          tap(event => write(identity_id, 'event', workOf(event), Date.now())),
        ),
        Math.random() < 0.3 ? EMPTY : timer(Math.random() * AWAY),
      );
    }).pipe(ignoreElements(), tap({ error: () => write('', 'ended') }), retry({ delay: 200 }), repeat());
    const gaps$ = feed.gap$.pipe(tap(gap => write(identity_id, 'gap', gap)));
    const ready$ = feed.status$.pipe(
      map(({ state }) => state === 'live'),
      tap(isLive => isLive && write(identity_id, 'ready')),
    );
    return merge(gaps$, ready$, visits$);
  });
  return merge(...feeds);
}

/**
 * Leaves after one event, after a few, after many, or only after a while, as it does in any case.
 */
function aVisit<T>(bulk: number): MonoTypeOperatorFunction<T> {
  const counts = [
    1,
    Math.ceil(20 * Math.random()),
    Math.ceil((bulk / 2) * Math.random()),
    Infinity,
    Infinity,
  ];
  const count = counts[Math.floor(counts.length * Math.random())]!;
  const leave$ = timer(Math.random() * STAY);
  return source => source.pipe(take(count), takeUntil(leave$));
}
