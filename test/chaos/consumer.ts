// The consumer process, which is killed during the run: a feed for each identity, with its
// checkpoint in a file.
import { existsSync, readFileSync } from 'node:fs';
import { defer, map, merge, retry, tap, type Observable } from 'rxjs';
import type { Checkpoint, Gap, IdentityEventList } from 'lobby-rx';
import { runFollower, workOf, type Follower } from './follower.js';
import { readJournal, type Journal } from './journal.js';
import { PLANNED_ERROR } from './messages.js';

/** An event that was delivered to the subscriber, and how to write down that it throws. */
interface Delivered {
  readonly writeThrow: () => void;
}

let isThrowDue = false;

runFollower<Delivered>(
  follow,
  ({ writeThrow }) => {
    if (!isThrowDue) return;
    isThrowDue = false;
    writeThrow();
    throw new Error(PLANNED_ERROR);
  },
  () => {
    isThrowDue = true;
  },
);

function follow({ start: { identities, file }, write, clientFor }: Follower): Observable<Delivered> {
  const known = existsSync(file) ? readJournal(readFileSync(file, 'utf8')) : new Map<string, Journal>();
  let longestSilence = 0;

  const feeds = identities.map(identity => {
    const { identity_id } = identity;
    const client = clientFor(identity);
    let checkpoint = known.get(identity_id)?.checkpoint;
    let lastEventAt = Date.now();
    // One line for each batch, with its index, its gap and its effects, so that all are written or
    // none.
    const ack = ({ events }: IdentityEventList, newCheckpoint: Checkpoint, gap?: Gap) => {
      checkpoint = newCheckpoint;
      write(identity_id, 'batch', checkpoint, events.map(workOf), gap ?? null, Date.now());
      if (events.length === 0) return;
      const silence = Date.now() - lastEventAt;
      lastEventAt = Date.now();
      if (silence <= longestSilence) return;
      longestSilence = silence;
      write('', 'silence', silence);
    };
    // In production the operator would handle an error that ends a watch. Here the watch is
    // restarted from its checkpoint.
    return defer(() => {
      write(identity_id, 'resumed', Date.now());
      return client.events.createFeed({ ...(checkpoint && { from: checkpoint }), ack, linger: 0 }).all$;
    }).pipe(
      map(event => ({ writeThrow: () => write(identity_id, 'threw', workOf(event)) })),
      tap({ error: () => write('', 'ended') }),
      retry({ delay: 200 }),
    );
  });
  return merge(...feeds);
}
