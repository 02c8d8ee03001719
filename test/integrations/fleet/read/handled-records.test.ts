import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { lastKept, type StoredAt } from '../../../../src/integrations/fleet/nats/last-kept.js';
import {
  HandledRecords,
  NOTHING,
  toPosition,
} from '../../../../src/integrations/fleet/read/handled-records.js';
import { storedMessages, type StoredMessages } from '../stored-messages.js';

/** A stream whose messages were each stored a second after the one before. */
const upTo = (last: number, first = 1) =>
  storedMessages(Array.from({ length: last - first + 1 }, (_, i) => message(first + i)));
const message = (sequence: number): StoredAt => ({ sequence, at: 1_000 * sequence });
const position = (sequence: number, generation = 1) => ({
  position: toPosition({ generation, sequence }),
  storedAt: 1_000 * sequence,
});
const record = (sequence: number, after: number, identity_id = 'a') => ({
  identity_id,
  sequence,
  key: `${sequence}`,
  after,
  gap: undefined,
  answer: { events: [], watch: { index: '1' } },
});
const resume = (handled: HandledRecords, { state, messageFrom }: StoredMessages, generation = 1) =>
  handled.resume(state, generation, known => lastKept(known, state, messageFrom));

/** A consumer that has handled the records from 11 to 15. */
async function upTo15() {
  const handled = new HandledRecords(position(10));
  strictEqual(await resume(handled, upTo(20)), 10);
  for (let sequence = 11; sequence <= 15; sequence++) handled.add(message(sequence));
  return handled;
}

describe('the handled records of a consumer', () => {
  it('begin with what is stored next, at a position, or where an earlier process was', async () => {
    const handled = new HandledRecords(undefined);
    strictEqual(handled.hasBegun, false);
    strictEqual(await resume(handled, upTo(20)), 20);
    strictEqual(handled.hasBegun, true);
    strictEqual(await resume(new HandledRecords(position(7)), upTo(20)), 7);
    const continued = new HandledRecords(undefined);
    continued.continue(position(9));
    strictEqual(await resume(continued, upTo(20)), 9);
  });

  it('go on after the last one, although all of them may have expired', async () => {
    const handled = await upTo15();
    strictEqual(await resume(handled, upTo(20)), 15);
    strictEqual(await resume(handled, upTo(20, 18)), 15);
  });

  it('go back to the last one that is still stored, and again if more is lost', async () => {
    const handled = await upTo15();
    strictEqual(await resume(handled, upTo(13)), 13);
    strictEqual(await resume(handled, upTo(13)), 13);
    strictEqual(await resume(handled, upTo(5)), 5);
  });

  it('go back although the stream is past their end again, in this process and in the next one', async () => {
    const continued = storedMessages([
      ...Array.from({ length: 13 }, (_, i) => message(i + 1)),
      ...Array.from({ length: 10 }, (_, i) => ({ sequence: 14 + i, at: 60_000 + i })),
    ]);
    strictEqual(await resume(await upTo15(), continued), 13);
    const next = new HandledRecords(position(15));
    strictEqual(await resume(next, continued), 13);
    strictEqual(next.gapBefore(record(14, 9))?.reason, 'silence');
    strictEqual(next.gapBefore(record(15, 14)), undefined);
  });

  it('have a gap for each identity where the end was lost, because positions go back', async () => {
    const handled = await upTo15();
    strictEqual(handled.gapBefore(record(12, 8, 'b')), undefined);
    strictEqual(handled.gapBefore(record(15, 9)), undefined);
    await resume(handled, upTo(13));
    strictEqual(handled.gapBefore(record(14, 12, 'b'))?.reason, 'silence');
    strictEqual(handled.gapBefore(record(15, 13))?.reason, 'silence');
    strictEqual(handled.gapBefore(record(16, 14, 'b')), undefined);
    strictEqual(handled.gapBefore(record(17, 15)), undefined);
  });

  it('go on without a gap in a stream that was restored, whatever its number is now', async () => {
    const handled = new HandledRecords(position(15));
    strictEqual(await resume(handled, upTo(20), 2), 15);
    strictEqual(handled.gapBefore(record(16, 15)), undefined);
  });

  it('begin again in a stream that was created again, with a gap before the first record of each identity', async () => {
    for (const count of [4, 40]) {
      const later = storedMessages(
        Array.from({ length: count }, (_, i) => ({ sequence: i + 1, at: 60_000 + i })),
      );
      const handled = await upTo15();
      strictEqual(await resume(handled, later, 2), 0);
      strictEqual(handled.gapBefore(record(1, 0))?.reason, 'silence');
      strictEqual(handled.gapBefore(record(2, 1)), undefined);
      strictEqual(handled.positionOf(message(1)), position(1, 2).position);
      ok(position(1, 2).position > position(2 ** 39).position);
      handled.add({ sequence: 1, at: 60_000 });
      strictEqual(await resume(handled, later, 2), 1);
    }
  });

  it('begin again, with gaps, if their position is below the first message of another stream', async () => {
    const handled = new HandledRecords(position(7));
    strictEqual(await resume(handled, upTo(20, 18), 2), 0);
    strictEqual(handled.gapBefore(record(18, 0))?.reason, 'silence');
  });

  it('begin with all that is stored at 0, whatever the number of the stream, without gaps', async () => {
    for (const stream of [storedMessages([]), upTo(20), upTo(20, 9)]) {
      const handled = new HandledRecords(NOTHING);
      strictEqual(await resume(handled, stream, 7), 0);
      strictEqual(handled.gapBefore(record(9, 3)), undefined);
    }
  });

  it('have gaps before the first ones if the position is of no stream', async () => {
    const reasons: unknown[] = [];
    for (const generation of [1, 2]) {
      const handled = new HandledRecords(position(50));
      reasons.push(await resume(handled, upTo(20), generation), handled.gapBefore(record(21, 0))?.reason);
    }
    deepStrictEqual(reasons, [20, 'silence', 20, 'silence']);
  });
});
