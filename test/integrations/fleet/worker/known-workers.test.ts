import { deepStrictEqual, strictEqual } from 'node:assert';
import {
  afterAnswer,
  afterLeaving,
  afterLook,
  initiallyKnown,
  workerChanges,
  type KnownWorkers,
} from '../../../../src/integrations/fleet/worker/known-workers.js';

const LEASE_MS = 1_000;
const me = { worker: 'me', capacity: 1 };

/** What `me` knows after it has found these workers alive. */
function look(known: KnownWorkers, now: number, workers: readonly string[], listLosses = 0): KnownWorkers {
  const present = workers.map(worker => ({ worker, capacity: 1, addresses: [], given: undefined }));
  return afterLook(known, { workers: present, listLosses }, { me, shards: 8, lease: LEASE_MS, now });
}

const namesOf = ({ assignment }: KnownWorkers) => assignment.workers.map(({ worker }) => worker);

/** `me` and two others, of which it knows since 0. */
const three = look(afterAnswer(initiallyKnown(0), 0, LEASE_MS), 10, ['b', 'a', 'me']);

describe('the workers that a worker knows', () => {
  it('have the same assignment as long as they are the same', () => {
    deepStrictEqual(namesOf(three), ['a', 'b', 'me']);
    strictEqual(look(three, 260, ['me', 'a', 'b']).assignment, three.assignment);
  });

  it('are silent if they were alive, and are not any more', () => {
    const two = look(three, 300, ['me', 'b']);
    deepStrictEqual([namesOf(two), two.assignment.silent], [['b', 'me'], ['a']]);
    deepStrictEqual(workerChanges(two.assignment, three.assignment), [
      { kind: 'worker', worker: 'a', state: 'silent' },
    ]);
  });

  it('have left if they have said so, and only once', () => {
    const two = look(afterLeaving(three, 'a'), 300, ['me', 'b']);
    deepStrictEqual([namesOf(two), two.assignment.silent], [['b', 'me'], []]);
    deepStrictEqual(workerChanges(two.assignment, three.assignment), [
      { kind: 'worker', worker: 'a', state: 'left' },
    ]);
    const again = look(two, 400, ['me', 'a', 'b']);
    deepStrictEqual(look(again, 500, ['me', 'b']).assignment.silent, ['a']);
    strictEqual(afterLeaving(three, 'nobody'), three);
  });

  it('do not lose themselves, whether they are heard or not', () => {
    deepStrictEqual(namesOf(look(three, 300, ['a', 'b'])), ['a', 'b', 'me']);
  });

  it('are given a lease and a half after an outage, unless they have been heard since', () => {
    const after = afterAnswer(three, 5_000, LEASE_MS);
    const early = look(after, 5_010, ['me', 'b']);
    strictEqual(early.assignment, three.assignment);
    strictEqual(look(early, 6_500, ['me', 'b']).assignment, three.assignment);
    deepStrictEqual(look(early, 6_501, ['me', 'b']).assignment.silent, ['a']);
    const heard = look(early, 5_300, ['me', 'a', 'b']);
    deepStrictEqual(look(heard, 5_600, ['me', 'b']).assignment.silent, ['a']);
    // An answer in time is no outage.
    deepStrictEqual(look(afterAnswer(three, 1_000, LEASE_MS), 1_010, ['me', 'b']).assignment.silent, ['a']);
  });

  it('are given as long after NATS has lost who is alive', () => {
    const lost = look(three, 300, ['me'], 1);
    strictEqual(lost.assignment, three.assignment);
    strictEqual(look(lost, 1_800, ['me'], 1).assignment, three.assignment);
    deepStrictEqual(look(lost, 1_801, ['me'], 1).assignment.silent, ['a', 'b']);
  });
});
