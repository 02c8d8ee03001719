import { deepStrictEqual } from 'node:assert';
import { RecordChain } from '../../../../src/integrations/fleet/read/handled-records.js';

const record = (identity_id: string, sequence: number, after: number) => ({
  identity_id,
  sequence,
  key: `${sequence}`,
  after,
  gap: undefined,
  answer: { events: [], watch: { index: '1' } },
});
/**
 * The reasons of the gaps before records, given as identity, position and the position before it.
 */
const gaps = (start: number, ...records: readonly (readonly [string, number, number])[]) => {
  const chain = new RecordChain(start);
  return records.map(one => chain.gapBefore(record(...one))?.reason);
};

describe('the chain of records', () => {
  it('is whole if each record says that the one before it was the one before it', () => {
    deepStrictEqual(
      gaps(10, ['a', 11, 4], ['b', 12, 9], ['a', 13, 11], ['c', 14, 0]),
      Array(4).fill(undefined),
    );
  });

  it('is broken if one is missing that came after the start, or after the last one that was seen', () => {
    deepStrictEqual(gaps(10, ['a', 20, 15], ['b', 21, 9], ['b', 25, 23]), ['silence', undefined, 'silence']);
  });

  it('is broken if all is lost that came before', () => {
    deepStrictEqual(gaps(10, ['a', 11, 4], ['a', 1, 0], ['a', 2, 1]), [undefined, 'silence', undefined]);
  });

  it('says the same if it is asked again', () => {
    deepStrictEqual(gaps(10, ['a', 20, 15], ['a', 20, 15], ['a', 21, 20], ['a', 21, 20]), [
      'silence',
      'silence',
      undefined,
      undefined,
    ]);
  });

  it('says nothing of what a new consumer could never have read', () => {
    deepStrictEqual(gaps(0, ['a', 20, 15], ['a', 25, 22]), [undefined, 'silence']);
  });

  it('has the gap that is stored', () => {
    const gap = { reason: 'index_rejected', at: 1, index: undefined } as const;
    deepStrictEqual(new RecordChain(1).gapBefore({ ...record('a', 2, 1), gap }), gap);
  });

  it('has a gap before the first record of each identity if the position is unknown', () => {
    const chain = new RecordChain('lost');
    const reasons = [record('a', 11, 0), record('b', 12, 9), record('a', 13, 11)].map(
      one => chain.gapBefore(one)?.reason,
    );
    deepStrictEqual(reasons, ['silence', 'silence', undefined]);
  });
});
