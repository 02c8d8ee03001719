import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { Observable, type Subscriber } from 'rxjs';
import { watchSignals, type WatchConfig } from 'lobby-rx';
import { runs } from '../runs.js';
import { virtualTime } from '../virtual-time.js';

const TRANSIT_MS = 100;
const BLOCK_MS = 40_000;

/** An answer: entries of a log, which may equal each other, and the index after them. */
interface Answer {
  readonly log: string;
  readonly n: number;
  readonly items: readonly string[];
}

/** Where the items of an answer stand. */
interface Range {
  readonly log: number;
  readonly from: number;
  readonly to: number;
}

type Operation =
  | { readonly kind: 'publish'; readonly value: string }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'cut' | 'anew' };

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('publish' as const), value: fc.constantFrom('on', 'off') }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 60_000 }) }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'cut' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'anew' as const }) },
);

/**
 * A server of a log that may be made anew. One that pops forgets what it has sent, whether or not
 * that has arrived.
 */
class LogServer {
  readonly ranges = new WeakMap<Answer, Range>();
  readonly #time: ReturnType<typeof virtualTime>;
  readonly #pops: boolean;
  #log = 0;
  #entries: string[] = [];
  #popped = 0;
  /** Whose answer may be on its way. */
  #answered: Subscriber<Answer> | undefined;
  #open: { readonly subscriber: Subscriber<Answer>; readonly from: number } | undefined;

  constructor(time: ReturnType<typeof virtualTime>, pops: boolean) {
    this.#time = time;
    this.#pops = pops;
  }

  poll(index: string | undefined): Observable<Answer> {
    return new Observable(subscriber => {
      const from = this.#pops ? this.#popped : Number(index ?? this.#entries.length);
      if (index === undefined) return this.#answer(subscriber, this.#entries.length);
      this.#open = { subscriber, from };
      if (this.#entries.length > from) this.#answer(subscriber, from);
      else subscriber.add(this.#time.scheduler.schedule(() => this.#answer(subscriber, from), BLOCK_MS));
    });
  }

  publish(value: string): void {
    this.#entries.push(value);
    // An index beyond the end of a log that was made anew is held.
    if (this.#open && this.#entries.length > this.#open.from)
      this.#answer(this.#open.subscriber, this.#open.from);
  }

  cut(): void {
    this.#open?.subscriber.error(new Error('cut'));
    this.#answered?.error(new Error('cut'));
    this.#open = undefined;
  }

  makeAnew(): void {
    this.#log++;
    this.#entries = [];
    this.#popped = 0;
  }

  #answer(subscriber: Subscriber<Answer>, from: number): void {
    // The block of a poll may end while its answer is on the way.
    if (subscriber.closed || this.#answered === subscriber) return;
    this.#open = undefined;
    this.#answered = subscriber;
    const to = this.#entries.length;
    const items = this.#entries.slice(Math.min(from, to), to);
    if (items.length > 0) this.#popped = to;
    const answer = { log: `log ${this.#log}`, n: this.#pops ? 7 : to, items };
    this.ranges.set(answer, { log: this.#log, from: Math.min(from, to), to });
    subscriber.add(
      this.#time.scheduler.schedule(() => {
        subscriber.next(answer);
        subscriber.complete();
      }, TRANSIT_MS),
    );
  }
}

/** What was delivered: ranges, and gaps between them. */
function follow(operations: readonly Operation[], pops: boolean): readonly (Range | 'gap')[] {
  const time = virtualTime();
  const server = new LogServer(time, pops);
  const seen: (Range | 'gap')[] = [];
  const config: WatchConfig<Answer> = {
    scheduler: time.scheduler,
    testing: { random: () => 0.5 },
    read: ({ log, items }) => ({ handle: log, isEmpty: items.length === 0 }),
    ...(pops && { redelivers: false }),
  };
  const watching = watchSignals<Answer>(index => server.poll(index), { indexOf: 'n', ...config }).subscribe(
    signal => {
      if (signal.kind === 'gap') seen.push('gap');
      if (signal.kind === 'answer') seen.push(server.ranges.get(signal.answer)!);
    },
  );
  time.pass(1_000);
  for (const each of operations) {
    if (each.kind === 'publish') server.publish(each.value);
    else if (each.kind === 'pass') time.pass(each.ms);
    else if (each.kind === 'cut') server.cut();
    else server.makeAnew();
  }
  time.pass(300_000);
  // What comes last is seen, whatever has been before.
  server.publish('last');
  time.pass(300_000);
  watching.unsubscribe();
  return seen;
}

/** What was lost or doubled without a gap. */
function faultsOf(seen: readonly (Range | 'gap')[]): readonly string[] {
  const faults: string[] = [];
  let last: Range | undefined;
  let hasGap = true;
  for (const each of seen) {
    if (each === 'gap') {
      hasGap = true;
      continue;
    }
    if (!hasGap && last && last.log !== each.log) faults.push('another log without a gap');
    if (!hasGap && last?.log === each.log && last.to !== each.from)
      faults.push(`${each.from} after ${last.to} without a gap`);
    if (each.from < each.to) {
      last = each;
      hasGap = false;
    }
  }
  return faults;
}

describe('a watch of any log', () => {
  for (const pops of [false, true]) {
    const kind = pops ? 'gives nothing twice' : 'gives an answer again';
    it(`loses and doubles nothing without a gap, if the service ${kind}`, () => {
      fc.assert(
        fc.property(fc.array(operation, { maxLength: 40 }), operations => {
          const seen = follow(operations, pops);
          deepStrictEqual(faultsOf(seen), []);
          deepStrictEqual(
            seen.some(each => each !== 'gap' && each.to > each.from),
            true,
          );
        }),
        { numRuns: runs(1_000) },
      );
    });
  }
});
