// The returner process: feeds that are left after each event and come back to, with an `ack` that
// sometimes fails.
import {
  concat,
  defer,
  EMPTY,
  ignoreElements,
  map,
  merge,
  repeat,
  retry,
  take,
  takeUntil,
  tap,
  timer,
  type Observable,
} from 'rxjs';
import type { IdentityEventList } from 'lobby-rx';
import { runFollower, workOf, type Follower } from './follower.js';

/** How often `ack` takes a while, and how often it fails. */
const SLOW = 0.2;
const FAILING = 0.05;
/**
 * How often the returner stays away for a while instead of coming back at once, and how long at
 * most, in ms.
 */
const PAUSING = 0.05;
const AWAY = 1_000;
/** How often it leaves early if no event comes, and after what time at most, in ms. */
const IMPATIENT = 0.2;
const STAY = 400;

runFollower(
  follow,
  () => undefined,
  () => undefined,
);

const happens = (probability: number) => Math.random() < probability;

function follow({ start: { identities }, write, clientFor }: Follower): Observable<unknown> {
  const feeds = identities.map(identity => {
    const { identity_id } = identity;
    const ack = ({ events }: IdentityEventList) =>
      timer(happens(SLOW) ? 50 * Math.random() : 0).pipe(
        tap(() => {
          if (happens(FAILING)) {
            // The same events come again now.
            write(identity_id, 'failed');
            throw new Error('a planned error of an ack');
          }
          if (events.length > 0) write(identity_id, 'taken', events.map(workOf));
        }),
      );
    const feed = clientFor(identity).events.createFeed({ ack, linger: 0 });
    const visits$ = defer(() => {
      write('', 'visit');
      const leave$ = happens(IMPATIENT) ? timer(Math.random() * STAY) : EMPTY;
      return concat(
        feed.all$.pipe(
          tap(event => write(identity_id, 'event', workOf(event), Date.now())),
          take(1),
          takeUntil(leave$),
        ),
        happens(PAUSING) ? timer(Math.random() * AWAY) : EMPTY,
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
