import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { messagesInOrder, type CatchUp, type Delivery } from '../../src/fleet/messages-in-order.js';

interface Message {
  readonly sequence: number;
}

/** What is yielded for deliveries, if the stream has these messages. */
async function handled(
  stored: readonly number[],
  deliveries: readonly (Delivery<Message> | CatchUp)[],
  start = 0,
): Promise<{ readonly seen: readonly number[]; readonly reads: number }> {
  let reads = 0;
  const next = (from: number) => {
    reads++;
    const sequence = stored.find(position => position >= from);
    return Promise.resolve(sequence === undefined ? undefined : { sequence });
  };
  const delivered = async function* () {
    for (const delivery of deliveries) yield await Promise.resolve(delivery);
  };
  const seen: number[] = [];
  for await (const { sequence } of messagesInOrder(delivered(), next, start)) seen.push(sequence);
  return { seen, reads };
}

/** A delivery that follows if the one before it is `after`. */
const of = (sequence: number, after: number, done?: () => void): Delivery<Message> => ({
  message: { sequence },
  follows: last => last === after,
  ...(done && { done }),
});

describe('messagesInOrder', () => {
  it('yields what is delivered, without reading the stream', async () => {
    deepStrictEqual(await handled([3, 5, 8], [of(3, 0), of(5, 3), of(8, 5)]), { seen: [3, 5, 8], reads: 0 });
  });

  it('leaves out what was handled, and says that it is done', async () => {
    const done: number[] = [];
    const twice = [3, 5, 3, 5, 8].map((sequence, i) =>
      of(sequence, [0, 3, 0, 3, 5][i]!, () => done.push(sequence)),
    );
    deepStrictEqual(await handled([3, 5, 8], twice), { seen: [3, 5, 8], reads: 0 });
    deepStrictEqual(done, [3, 5, 3, 5, 8]);
  });

  it('reads what is missing before a delivery', async () => {
    deepStrictEqual((await handled([3, 5, 8, 9], [of(3, 0), of(9, 8)])).seen, [3, 5, 8, 9]);
  });

  it('catches up to a position, or to the end', async () => {
    deepStrictEqual((await handled([3, 5, 8, 9], [{ upTo: 5 }], 3)).seen, [5]);
    deepStrictEqual((await handled([3, 5, 8, 9], [{ upTo: Infinity }, of(9, 8)], 3)).seen, [5, 8, 9]);
  });

  it('yields each message once and in order, whatever is lost, late or delivered again', async () => {
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
        deepStrictEqual(
          seen,
          stored.filter(sequence => sequence <= highest),
        );
      }),
    );
  });
});
