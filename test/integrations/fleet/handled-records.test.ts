import { deepStrictEqual, strictEqual } from 'node:assert';
import { HandledRecords } from '../../../src/integrations/fleet/handled-records.js';

const stream = (first: number, last: number, created = 'first') => ({ first, last, created });
/** What is stored at the positions from one to another, each at a time that its position tells. */
const stored = (last: number) => (position: number) =>
  Promise.resolve(position <= last ? 1_000 * position : undefined);
const message = (sequence: number) => ({ sequence, at: 1_000 * sequence });
const record = (sequence: number, after: number) => ({
  ...{ identity_id: 'a', sequence, after, gap: undefined },
  answer: { events: [], watch: { index: '1' } },
});

/** One that has handled the records from 11 to 15. */
async function upTo15() {
  const handled = new HandledRecords(10);
  strictEqual(await handled.resume(stream(1, 20), stored(20)), 10);
  for (let position = 11; position <= 15; position++) handled.add(message(position));
  return handled;
}

describe('the handled records of a consumer', () => {
  it('begin with what is stored next, at a position, or where an earlier process was', async () => {
    const handled = new HandledRecords(undefined);
    strictEqual(handled.hasBegun, false);
    strictEqual(await handled.resume(stream(1, 20), stored(20)), 20);
    strictEqual(handled.hasBegun, true);
    strictEqual(await new HandledRecords(7).resume(stream(1, 20), stored(20)), 7);
    const continued = new HandledRecords(undefined);
    continued.continue(9, 'first');
    strictEqual(await continued.resume(stream(1, 20), stored(20)), 9);
  });

  it('go on after the last one', async () => {
    const handled = await upTo15();
    strictEqual(await handled.resume(stream(1, 20), stored(20)), 15);
    // Although all of them have expired.
    strictEqual(await handled.resume(stream(18, 20), stored(20)), 15);
  });

  it('go back to the last one that is still stored, though not before the begin', async () => {
    strictEqual(await (await upTo15()).resume(stream(1, 13), stored(13)), 13);
    strictEqual(await (await upTo15()).resume(stream(1, 5), stored(5)), 5);
    const others = (position: number) => Promise.resolve(1_000 * position + (position > 13 ? 500 : 1));
    strictEqual(await (await upTo15()).resume(stream(1, 30), others), 13);
    strictEqual(await (await upTo15()).resume(stream(1, 30), stored(0)), 10);
  });

  it('have a gap where the end was lost', async () => {
    const handled = await upTo15();
    strictEqual(handled.gapBefore(record(15, 9)), undefined);
    await handled.resume(stream(1, 13), stored(13));
    strictEqual(handled.gapBefore(record(14, 13))?.reason, 'silence');
    strictEqual(handled.gapBefore(record(16, 14)), undefined);
  });

  it('begin again in a stream that was created again', async () => {
    const handled = await upTo15();
    strictEqual(await handled.resume(stream(1, 4, 'second'), stored(4)), 0);
  });

  it('have gaps before the first ones if the position is of no stream', async () => {
    const reasons: unknown[] = [];
    for (const created of ['first', 'second']) {
      const handled = new HandledRecords(undefined);
      handled.continue(50, created);
      reasons.push(await handled.resume(stream(1, 20), stored(20)), handled.gapBefore(record(21, 0))?.reason);
    }
    deepStrictEqual(reasons, [20, 'silence', 0, 'silence']);
  });
});
