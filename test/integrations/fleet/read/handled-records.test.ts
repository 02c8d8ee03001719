import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { HandledRecords, toPosition } from '../../../../src/integrations/fleet/read/handled-records.js';

const stream = (first: number, last: number) => ({ first, last, created: '' });
const at = (sequence: number, generation = 1) => toPosition({ generation, sequence });
/** What is stored at the positions from one to another, each at a time that its position tells. */
const stored = (last: number) => (position: number) =>
  Promise.resolve(position <= last ? 1_000 * position : undefined);
const message = (sequence: number) => ({ sequence, at: 1_000 * sequence });
const record = (sequence: number, after: number) => ({
  identity_id: 'a',
  sequence,
  after,
  gap: undefined,
  answer: { events: [], watch: { index: '1' } },
});

/** One that has handled the records from 11 to 15. */
async function upTo15() {
  const handled = new HandledRecords(at(10));
  strictEqual(await handled.resume(stream(1, 20), 1, stored(20)), 10);
  for (let position = 11; position <= 15; position++) handled.add(message(position));
  return handled;
}

describe('the handled records of a consumer', () => {
  it('begin with what is stored next, at a position, or where an earlier process was', async () => {
    const handled = new HandledRecords(undefined);
    strictEqual(handled.hasBegun, false);
    strictEqual(await handled.resume(stream(1, 20), 1, stored(20)), 20);
    strictEqual(handled.hasBegun, true);
    strictEqual(await new HandledRecords(at(7)).resume(stream(1, 20), 1, stored(20)), 7);
    const continued = new HandledRecords(undefined);
    continued.continue(at(9));
    strictEqual(await continued.resume(stream(1, 20), 1, stored(20)), 9);
  });

  it('go on after the last one', async () => {
    const handled = await upTo15();
    strictEqual(await handled.resume(stream(1, 20), 1, stored(20)), 15);
    // Although all of them have expired.
    strictEqual(await handled.resume(stream(18, 20), 1, stored(20)), 15);
  });

  it('go back to the last one that is still stored, though not before the begin', async () => {
    strictEqual(await (await upTo15()).resume(stream(1, 13), 1, stored(13)), 13);
    strictEqual(await (await upTo15()).resume(stream(1, 5), 1, stored(5)), 5);
    const others = (position: number) => Promise.resolve(1_000 * position + (position > 13 ? 500 : 1));
    strictEqual(await (await upTo15()).resume(stream(1, 30), 1, others), 13);
    strictEqual(await (await upTo15()).resume(stream(1, 30), 1, stored(0)), 10);
  });

  it('have a gap where the end was lost', async () => {
    const handled = await upTo15();
    strictEqual(handled.gapBefore(record(15, 9)), undefined);
    await handled.resume(stream(1, 13), 1, stored(13));
    strictEqual(handled.gapBefore(record(14, 13))?.reason, 'silence');
    strictEqual(handled.gapBefore(record(16, 14)), undefined);
  });

  it('begin again in a stream that was created again, with a gap before the first record of each identity', async () => {
    for (const count of [4, 40]) {
      const handled = await upTo15();
      strictEqual(await handled.resume(stream(1, count), 2, stored(count)), 0);
      strictEqual(handled.gapBefore(record(1, 0))?.reason, 'silence');
      strictEqual(handled.gapBefore(record(2, 1)), undefined);
      strictEqual(handled.positionOf(message(1)), at(1, 2));
      ok(at(1, 2) > at(2 ** 39));
      handled.add(message(1));
      strictEqual(await handled.resume(stream(1, count), 2, stored(count)), 1);
    }
  });

  it('begin with all that is stored at 0, whatever the number of the stream, without gaps', async () => {
    const handled = new HandledRecords(0);
    strictEqual(await handled.resume(stream(1, 20), 7, stored(20)), 0);
    strictEqual(handled.gapBefore(record(9, 3)), undefined);
  });

  it('have gaps before the first ones if the position is of no stream', async () => {
    const reasons: unknown[] = [];
    for (const generation of [1, 2]) {
      const handled = new HandledRecords(at(50));
      reasons.push(
        await handled.resume(stream(1, 20), generation, stored(20)),
        handled.gapBefore(record(21, 0))?.reason,
      );
    }
    deepStrictEqual(reasons, [20, 'silence', 0, 'silence']);
  });
});
