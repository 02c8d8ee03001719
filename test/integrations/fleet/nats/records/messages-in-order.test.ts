import { deepStrictEqual, ok } from 'node:assert';
import fc from 'fast-check';
import { from, lastValueFrom, toArray } from 'rxjs';
import {
  CATCH_UP,
  inOrder,
  type LiveMessage,
} from '../../../../../src/integrations/fleet/nats/records/identity-messages.js';

interface Message {
  readonly sequence: number;
}

/** What is emitted for deliveries, if the stream has these messages. */
async function handled(
  stored: readonly number[],
  deliveries: readonly (LiveMessage<Message> | typeof CATCH_UP)[],
  start = 0,
): Promise<{ readonly seen: readonly number[]; readonly reads: number }> {
  let reads = 0;
  const read = async function* (from: number) {
    reads++;
    for (const sequence of stored) {
      if (sequence >= from) yield await Promise.resolve({ sequence });
    }
  };
  const messages = await lastValueFrom(inOrder(from(deliveries), read, start).pipe(toArray()));
  return { seen: messages.map(({ sequence }) => sequence), reads };
}

/** A delivery that follows if the one before it is `after`. */
const of = (sequence: number, after: number): LiveMessage<Message> => ({
  message: { sequence },
  follows: last => last === after,
});

describe('inOrder', () => {
  it('emits what is delivered, without reading the stream', async () => {
    deepStrictEqual(await handled([3, 5, 8], [of(3, 0), of(5, 3), of(8, 5)]), { seen: [3, 5, 8], reads: 0 });
  });

  it('leaves out what was handled, and looks whether the stream has lost its end', async () => {
    const twice = [3, 5, 3].map((sequence, i) => of(sequence, [0, 3, 0][i]!));
    deepStrictEqual(await handled([3, 5], twice), { seen: [3, 5], reads: 1 });
  });

  it('reads what is missing before a delivery', async () => {
    deepStrictEqual((await handled([3, 5, 8, 9], [of(3, 0), of(9, 8)])).seen, [3, 5, 8, 9]);
  });

  it('catches up with what is stored', async () => {
    deepStrictEqual((await handled([3, 5, 8, 9], [CATCH_UP, of(9, 8)], 3)).seen, [5, 8, 9]);
  });

  it('emits each message once and in order, whatever is lost, late or delivered again', async () => {
    const messages = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 20 });
    const orders = fc.array(fc.nat(100), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(messages, orders, async (unsorted, order) => {
        const stored = [...unsorted].sort((a, b) => a - b);
        const deliveries = order.map(n => {
          const i = n % stored.length;
          return of(stored[i]!, stored[i - 1] ?? 0);
        });
        const highest = Math.max(0, ...deliveries.map(({ message: { sequence } }) => sequence));
        const { seen } = await handled(stored, deliveries);
        deepStrictEqual(seen, stored.slice(0, seen.length));
        ok(seen.length >= stored.filter(sequence => sequence <= highest).length);
      }),
    );
  });
});
