import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { Observable, of, take } from 'rxjs';
import { createClient, eventFeed, watch, watchSignals, type Transport, type WatchSignal } from 'lobby-rx';
import { answer } from '../poll-script.js';
import { virtualTime } from '../virtual-time.js';

/** Ends an endless iterable that nobody stops, so that a test fails instead of freezing. */
function* endless<T>(value: (n: number) => T, ends: string[]): Generator<T, void> {
  try {
    for (let n = 0; n < 1_000; n++) yield value(n);
    ends.push('exhausted');
  } finally {
    ends.push('returned');
  }
}

describe('a poll', () => {
  it('is stopped after its answer if it is an endless synchronous iterable', () => {
    const { scheduler } = virtualTime();
    const ends: string[] = [];
    const watching = watch(() => endless(n => answer(`${n}`, `${n}`), ends), { scheduler }).subscribe();
    watching.unsubscribe();
    deepStrictEqual(ends, ['returned']);
  });

  it('is stopped after its answer if its transport emits endlessly', () => {
    const response = {
      status: 200,
      headers: { get: () => null },
      text: '{"events":[],"watch":{"index":"1"}}',
    };
    let emitted = 0;
    const transport: Transport = () =>
      new Observable(subscriber => {
        while (!subscriber.closed && emitted < 1_000) {
          emitted++;
          subscriber.next(response);
        }
      });
    createClient({ url: 'https://a.example', token: 't', transport }).events.watch().subscribe();
    strictEqual(emitted, 1);
  });

  it('is not sent for a subscriber that leaves at the first status', () => {
    const { scheduler } = virtualTime();
    let polls = 0;
    const poll = () => {
      polls++;
      return of(answer('1', 'a'));
    };
    watchSignals(poll, { scheduler }).pipe(take(1)).subscribe();
    strictEqual(polls, 0);
  });
});

describe('the source of a feed', () => {
  it('is left with the last subscriber, even if it emits endlessly', () => {
    const ends: string[] = [];
    const signal = (n: number): WatchSignal<never> =>
      ({
        kind: 'answer',
        answer: { events: [{ kind: 'unknown', name: `${n}`, ts: '', payload: 0 }], watch: { index: '' } },
      }) as unknown as WatchSignal<never>;
    const feed = eventFeed(endless(signal, ends), { linger: 0 });
    feed.all$.pipe(take(1)).subscribe();
    deepStrictEqual(ends, ['returned']);
  });
});

describe('a poll that always has news at once', () => {
  it('leaves time for timers and for the network', async () => {
    let polls = 0;
    const poll = () => Promise.resolve(answer(`${++polls}`, `${polls}`));
    const watching = watch(poll).subscribe();
    const pollsBefore = await new Promise<number>(resolve => setTimeout(() => resolve(polls), 0));
    watching.unsubscribe();
    ok(pollsBefore < 500, `${pollsBefore} polls before a timer of 0 ms`);
  });
});
