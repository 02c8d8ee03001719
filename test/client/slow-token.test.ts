import { deepStrictEqual, strictEqual } from 'node:assert';
import { concat, ignoreElements, NEVER, of, timer } from 'rxjs';
import { createClient, type ClientConfig, type LogEntry, type TransportResponse } from 'lobby-rx';
import { virtualTime } from '../virtual-time.js';

const answer = (status: number, text: string): TransportResponse => ({
  status,
  headers: { get: () => null },
  text,
});

/** An answer without news. */
const empty = (index: string) => answer(200, `{"events":[],"watch":{"index":"${index}"}}`);

/** The token is no longer valid. */
const expired = answer(401, '{"code":"CLAIMS_ENTITLEMENT_EXPIRED"}');

/** What a feed gets: tokens, each after `tokenAfter` ms, and the answer to its first request. */
interface Given {
  readonly tokenAfter?: number;
  readonly answered: TransportResponse;
  readonly answerAfter: number;
  readonly watch?: ClientConfig['watch'];
}

/** A feed from index 1. The service holds all requests but the first one. */
function feedOf({ tokenAfter = 0, answered, answerAfter, watch = {} }: Given) {
  const { scheduler, pass } = virtualTime();
  const begunAt = scheduler.now();
  const after = <T>(ms: number, value: T) =>
    ms === 0 ? of(value) : concat(timer(ms, scheduler).pipe(ignoreElements()), of(value));
  const log: LogEntry[] = [];
  const sentAt: number[] = [];
  let tokens = 0;
  const client = createClient({
    url: 'https://a.example',
    token: () => after(tokenAfter, `T${tokens++}`),
    transport: () => {
      sentAt.push(scheduler.now() - begunAt);
      return sentAt.length === 1 ? after(answerAfter, answered) : NEVER;
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

describe('a poll that waits for its token', () => {
  it('has its whole timeout from when it is sent', () => {
    const watch = { timeout: 20_000 };
    const { pass, sentAt, ends } = feedOf({
      tokenAfter: 12_000,
      answered: empty('2'),
      answerAfter: 15_000,
      watch,
    });
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

  it('has it once more when it is sent again with another token', () => {
    const { pass, sentAt, ends } = feedOf({ answered: expired, answerAfter: 60_000 });
    pass(129_999);
    deepStrictEqual({ sentAt, ends: ends() }, { sentAt: [0, 60_000], ends: [] });
    pass(1);
    deepStrictEqual(ends(), ['cut']);
  });

  it('counts as held two seconds after it is sent', () => {
    const { pass, states } = feedOf({ tokenAfter: 12_000, answered: empty('2'), answerAfter: 60_000 });
    pass(13_999);
    strictEqual(states.at(-1), 'connecting');
    pass(1);
    strictEqual(states.at(-1), 'live');
  });

  it('is answered at once if the service answers at once', () => {
    const { pass, ends } = feedOf({ tokenAfter: 12_000, answered: empty('1'), answerAfter: 0 });
    pass(12_000);
    // No news, at once, with the index that was sent: that may be the answer of a cache.
    strictEqual(ends()[0], 'stale');
  });
});
