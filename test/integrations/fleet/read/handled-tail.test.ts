import { deepStrictEqual, ok } from 'node:assert';
import fc from 'fast-check';
import { HandledTail } from '../../../../src/integrations/fleet/read/handled-records.js';

describe('the tail of what was handled', () => {
  const tailOf = (sequences: readonly number[]) => {
    const tail = new HandledTail();
    for (const sequence of sequences) tail.add({ sequence, at: sequence });
    return tail;
  };

  it('finds where a stream has lost its end, with few questions', async () => {
    const increasing = fc.uniqueArray(fc.integer({ min: 1, max: 10_000 }), { maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(increasing, fc.integer({ min: 0, max: 10_000 }), async (unsorted, end) => {
        const sequences = [...unsorted].sort((a, b) => a - b);
        let questions = 0;
        const isStored = ({ sequence }: { readonly sequence: number }) => {
          questions++;
          return Promise.resolve(sequence <= end);
        };
        const tail = tailOf(sequences);
        const kept = sequences.filter(sequence => sequence <= end).at(-1) ?? 0;
        deepStrictEqual(await tail.lastKept(isStored), kept);
        ok(questions <= 10, `${questions}`);
        // The others are forgotten.
        deepStrictEqual(await tail.lastKept(() => Promise.resolve(true)), kept);
      }),
    );
  });

  it('asks once if nothing was lost', async () => {
    const asked: number[] = [];
    const isStored = ({ sequence }: { readonly sequence: number }) => {
      asked.push(sequence);
      return Promise.resolve(true);
    };
    deepStrictEqual(await tailOf([3, 5, 8]).lastKept(isStored), 8);
    deepStrictEqual(asked, [8]);
  });

  it('remembers the last thousands', async () => {
    const tail = tailOf(Array.from({ length: 20_000 }, (_, i) => i + 1));
    deepStrictEqual(await tail.lastKept(({ sequence }) => Promise.resolve(sequence <= 17_000)), 17_000);
    deepStrictEqual(await tail.lastKept(() => Promise.resolve(false)), 0);
  });
});
