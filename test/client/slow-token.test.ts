import { deepStrictEqual, strictEqual } from 'node:assert';
import { map, NEVER, of, timer } from 'rxjs';
import { createClient, type ClientConfig, type LogEntry, type TransportResponse } from 'lobby-rx';
import { virtualTime } from '../virtual-time.js';

/** An answer without news, which moves the index or not. */
const empty = (index: string): TransportResponse => ({
  status: 200,
  headers: { get: () => null },
  text: `{"events":[],"watch":{"index":"${index}"}}`,
});

/**
 * A feed from index 1 whose token comes after `tokenAfter` ms. The service answers the first poll
 * after `answerAfter` ms, and holds all others.
 */
function slowFeed(tokenAfter: number, answerAfter: number, index: string, watch: ClientConfig['watch'] = {}) {
  const { scheduler, pass } = virtualTime();
  const begunAt = scheduler.now();
  const log: LogEntry[] = [];
  const sentAt: number[] = [];
  const client = createClient({
    url: 'https://a.example',
    token: () => timer(tokenAfter, scheduler).pipe(map(() => 'T')),
    transport: () => {
      sentAt.push(scheduler.now() - begunAt);
      if (sentAt.length > 1) return NEVER;
      return answerAfter === 0
        ? of(empty(index))
        : timer(answerAfter, scheduler).pipe(map(() => empty(index)));
    },
    scheduler,
    watch,
    log: entry => log.push(entry),
    testing: { random: () => 0.5 },
  });
  const feed = client.events.createFeed({ from: '1' });
  const states: string[] = [];
  feed.status$.subscribe(({ state }) => states.push(state));
  feed.all$.subscribe();
  const ends = () => log.flatMap(entry => (entry.kind === 'poll_end' ? [entry.why] : []));
  return { pass, sentAt, states, ends };
}

describe('a poll whose token comes late', () => {
  it('has its whole timeout from when it is sent', () => {
    const { pass, sentAt, ends } = slowFeed(12_000, 15_000, '2', { timeout: 20_000 });
    pass(26_999);
    deepStrictEqual({ sentAt, ends: ends() }, { sentAt: [12_000], ends: [] });
    pass(1);
    deepStrictEqual(ends(), ['no_news']);
    // The second poll is sent at 39 s.
    pass(31_999);
    deepStrictEqual(ends(), ['no_news']);
    pass(1);
    deepStrictEqual({ sentAt, ends: ends() }, { sentAt: [12_000, 39_000], ends: ['no_news', 'cut'] });
  });

  it('counts as held two seconds after it is sent', () => {
    const { pass, states } = slowFeed(12_000, 60_000, '2');
    pass(13_999);
    strictEqual(states.at(-1), 'connecting');
    pass(1);
    strictEqual(states.at(-1), 'live');
  });

  it('is answered at once if the service answers at once', () => {
    const { pass, ends } = slowFeed(12_000, 0, '1');
    pass(12_000);
    // No news, at once, with the index that was sent: that may be the answer of a cache.
    strictEqual(ends()[0], 'stale');
  });
});
