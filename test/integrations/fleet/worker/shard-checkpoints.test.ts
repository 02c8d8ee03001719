import { deepStrictEqual } from 'node:assert';
import { ShardCheckpoints } from '../../../../src/integrations/fleet/worker/shard-checkpoints.js';

const HOUR_MS = 3_600_000;
const NOW = 7 * HOUR_MS;

const checkpointsOf = (ages: readonly number[]) => {
  const stored = ages.map(
    (age, i) => [`identity ${i}`, { index: '1', since: NOW - age, sequence: 1, key: 'k' }] as const,
  );
  return new ShardCheckpoints(Object.fromEntries(stored), NOW);
};

describe('the bare checkpoints of a shard', () => {
  it('are saved if they are of the last hour, however many', () => {
    const saved = (ages: readonly number[]) => Object.keys(checkpointsOf(ages).save(NOW));
    deepStrictEqual(saved([HOUR_MS + 1, HOUR_MS, 0]), ['identity 1', 'identity 2']);
    const many = saved(Array.from({ length: 5_002 }, () => 0));
    deepStrictEqual([many.length, many[0], many.at(-1)], [5_002, 'identity 0', 'identity 5001']);
  });

  it('are unsaved a minute after the last time, if one of them has changed since', () => {
    const checkpoints = checkpointsOf([0, 0]);
    const isUnsaved = (after: number) => checkpoints.isUnsaved(NOW + after);
    deepStrictEqual(isUnsaved(60_000), false);
    // Nothing was kept of it.
    checkpoints.drop('another identity');
    deepStrictEqual(isUnsaved(60_000), false);
    checkpoints.keep('identity 0', { index: '2', since: NOW, sequence: 2, key: 'l' });
    deepStrictEqual([isUnsaved(59_999), isUnsaved(60_000)], [false, true]);
    deepStrictEqual(Object.keys(checkpoints.save(NOW + 60_000)), ['identity 1', 'identity 0']);
    deepStrictEqual(isUnsaved(200_000), false);
    checkpoints.drop('identity 1');
    deepStrictEqual([isUnsaved(119_999), isUnsaved(120_000)], [false, true]);
  });

  it('have the identities polled first that were polled longest ago', () => {
    const checkpoints = checkpointsOf([10, 30, 20]);
    deepStrictEqual(checkpoints.inOrder(['identity 0', 'identity 1', 'identity 2', 'new']), [
      'new',
      'identity 1',
      'identity 2',
      'identity 0',
    ]);
  });
});
