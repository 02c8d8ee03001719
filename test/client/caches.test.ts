import { ok } from 'node:assert';
import { delay, of } from 'rxjs';
import { createClient, type Transport } from 'lobby-rx';
import { randomNumbers } from '../simulation/simulate.js';
import { virtualTime } from '../virtual-time.js';

const SECONDS = 900;
/** One a second, and one for each answer that is new. The quota is 1,900. */
const MOST_POLLS = 1.1 * SECONDS;

/**
 * A quarter of an hour of a feed behind caches, each of which has an answer of its own, and gives
 * it at once, whatever the index. `cacheOf` says which one answers a poll.
 */
function quarter(caches: number, cacheOf: (nth: number) => number) {
  const { scheduler, pass } = virtualTime();
  const start = scheduler.now();
  let polls = 0;
  const transport: Transport = () => {
    const nth = cacheOf(polls++) % caches;
    const events = [{ kind: { note: nth }, ts: '1' }];
    const text = JSON.stringify({ events, watch: { index: String(start + nth) } });
    return of({ status: 200, text, headers: { get: () => null } }).pipe(delay(20, scheduler));
  };
  const client = createClient({
    url: 'https://a.example',
    token: 't',
    transport,
    scheduler,
    testing: { random: () => 0.5 },
  });
  const { feed } = client.events;
  let delivered = 0;
  const gaps: string[] = [];
  feed.gap$.subscribe(({ reason }) => gaps.push(reason));
  feed.all$.subscribe(() => delivered++);
  pass(SECONDS * 1_000);
  client.close();
  // An index that grows too old is a gap, after which each answer may come once more.
  const silences = gaps.filter(reason => reason === 'silence').length;
  return { polls, delivered, gaps: gaps.length, silences };
}

describe('the feed of a client behind caches that ignore the index', () => {
  for (const caches of [2, 3, 16]) {
    it(`polls once a second, and has each event once, if ${caches} take turns`, () => {
      const { polls, delivered, silences } = quarter(caches, nth => nth);
      ok(polls <= MOST_POLLS, `${polls} polls`);
      ok(silences <= 3 && delivered <= caches * (1 + silences), `${delivered} events, ${silences} gaps`);
    });

    it(`polls once a second, and has no event again without a gap, if any of ${caches} answers`, () => {
      const random = randomNumbers(caches);
      const { polls, delivered, gaps } = quarter(caches, () => Math.floor(random() * caches));
      ok(polls <= MOST_POLLS, `${polls} polls`);
      ok(delivered <= caches + gaps, `${delivered} events, ${gaps} gaps`);
    });
  }
});
