import { deepStrictEqual, strictEqual } from 'node:assert';
import { Membership } from '../../../../src/integrations/fleet/worker/membership.js';

const LEASE = 1_000;

function members() {
  let now = 5_000;
  const membership = new Membership('me', LEASE, { now: () => now });
  const beatOf = (worker: string) => ({
    ...{ worker, instance: worker, capacity: 1, shards: 0 },
    ...{ identities: 0, live: 0, retrying: 0, events: 0, unstored: 0, waiting: 0 },
  });
  const heard = (...workers: readonly string[]) =>
    workers.map(worker => membership.heard({ beat: beatOf(worker), storedAt: now }, true)?.state);
  /** What was stored before it began to listen, so long ago. */
  const found = (worker: string, ago: number) =>
    membership.heard({ beat: beatOf(worker), storedAt: now - ago }, false)?.state;
  /** Time passes, in which these are heard. */
  const pass = (ms: number, ...workers: readonly string[]) => {
    for (let passed = 0; passed < ms; passed += 100) {
      now += 100;
      heard(...workers);
    }
  };
  const alive = () => membership.alive.map(({ worker }) => worker);
  return { membership, heard, found, pass, alive };
}

describe('the membership of a fleet', () => {
  it('tells who joins and leaves, once', () => {
    const { membership, heard, alive } = members();
    deepStrictEqual(heard('me', 'a', 'a'), ['joined', 'joined', undefined]);
    deepStrictEqual(membership.left('a'), { worker: 'a', state: 'left' });
    strictEqual(membership.left('a'), undefined);
    deepStrictEqual(alive(), ['me']);
  });

  it('calls a worker silent that was not heard for a lease', () => {
    const { membership, pass, alive, heard } = members();
    pass(2_000, 'me', 'a');
    pass(1_000, 'me');
    deepStrictEqual(membership.judge(), []);
    pass(100, 'me');
    deepStrictEqual(membership.judge(), [{ worker: 'a', state: 'silent' }]);
    deepStrictEqual([membership.judge(), alive(), membership.mayTakeFrom('a')], [[], ['me'], true]);
    strictEqual(membership.left('a'), undefined);
    deepStrictEqual(heard('a'), ['joined']);
    strictEqual(membership.mayTakeFrom('a'), false);
  });

  it('calls those silent at once that were killed before it came, and takes what they had', () => {
    const { membership, heard, found, alive } = members();
    found('killed', 1_200);
    found('alive', 800);
    // That of a process of the same name.
    found('me', 3_000);
    deepStrictEqual([membership.judge(), membership.mayTakeFrom('killed')], [[], false]);
    heard('me');
    deepStrictEqual(membership.judge(), [{ worker: 'killed', state: 'silent' }]);
    deepStrictEqual(alive(), ['alive', 'me']);
    deepStrictEqual(
      ['killed', 'alive', 'unknown'].map(worker => membership.mayTakeFrom(worker)),
      [true, false, false],
    );
  });

  it('judges nobody before it has heard itself for a lease and a half, without a break', () => {
    const { membership, pass } = members();
    strictEqual(membership.mayJudge, false);
    pass(1_500, 'me', 'a');
    strictEqual(membership.mayJudge, false);
    pass(100, 'me', 'a');
    strictEqual(membership.mayJudge, true);
    // Deaf: it hears nobody, itself included.
    pass(600);
    strictEqual(membership.mayJudge, false);
    pass(5_000);
    deepStrictEqual(membership.judge(), []);
    pass(1_500, 'me');
    deepStrictEqual(membership.judge(), []);
    pass(100, 'me');
    deepStrictEqual(membership.judge(), [{ worker: 'a', state: 'silent' }]);
  });

  it('listens anew if it does not hear even itself, again and again', () => {
    const { membership, pass } = members();
    membership.listen();
    pass(5_000, 'me');
    pass(2_000, 'a');
    strictEqual(membership.isDeaf, false);
    pass(100, 'a');
    strictEqual(membership.isDeaf, true);
    membership.listen();
    strictEqual(membership.isDeaf, false);
    pass(2_100, 'a');
    strictEqual(membership.isDeaf, true);
  });

  it('forgets those who have been silent for long', () => {
    const { membership, pass } = members();
    pass(2_000, 'me', 'a');
    pass(19_000, 'me');
    membership.judge();
    deepStrictEqual(membership.forgotten(), []);
    pass(2_000, 'me');
    deepStrictEqual(membership.forgotten(), ['a']);
  });
});
