import { deepStrictEqual } from 'node:assert';
import { EMPTY } from 'rxjs';
import { OwnedShard } from '../../../../src/integrations/fleet/worker/owned-shard.js';
import { virtualTime } from '../../../virtual-time.js';

const HOUR = 3_600_000;

describe('a held shard', () => {
  it('saves the bare checkpoints of the last hour, five thousand at most, the newest', () => {
    const { scheduler } = virtualTime();
    const now = scheduler.now();
    const nothing = () => undefined;
    const saved = (ages: readonly number[]) => {
      const places = ages.map(
        (age, i) => [`identity ${i}`, { index: '1', since: now - age, sequence: 1 }] as const,
      );
      const holder = {
        watch: () => EMPTY,
        scheduler,
        monotonic: scheduler,
        emit: nothing,
        polled: nothing,
      };
      const counts = {
        starting: 0,
        live: 0,
        retrying: 0,
        rejected: 0,
        events: 0,
        unstored: 0,
        failure: undefined,
        unanswered: undefined,
      };
      return Object.keys(new OwnedShard(0, Object.fromEntries(places), now, holder, counts).save(now));
    };
    deepStrictEqual(saved([HOUR + 1, HOUR, 0]), ['identity 1', 'identity 2']);
    const many = saved(Array.from({ length: 5_002 }, () => 0));
    deepStrictEqual([many.length, many[0], many.at(-1)], [5_000, 'identity 2', 'identity 5001']);
  });
});
