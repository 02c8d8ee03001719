import { deepStrictEqual } from 'node:assert';
import { NEVER, Observable, of, throwError } from 'rxjs';
import { InputError } from 'lobby-rx';
import type { FleetEvent } from 'lobby-rx/fleet';
import { OwnedShards } from '../../../../src/integrations/fleet/worker/owned-shards.js';
import type { Assignment } from '../../../../src/integrations/fleet/worker/known-workers.js';
import { virtualTime } from '../../../virtual-time.js';

const NOTHING_ASSIGNED: Assignment = { workers: [], owners: [], silent: [] };
const ALL_ASSIGNED: Assignment = { workers: [{ worker: 'me', capacity: 1 }], owners: [0], silent: [] };

describe('the shards of a worker', () => {
  /** Takes one shard whose identities come from `identities`, for ten minutes. */
  function reportsOf(identities: () => Observable<ReadonlySet<string>>): readonly unknown[] {
    const { scheduler, pass } = virtualTime();
    const reports: unknown[] = [];
    const events$ = new Observable<FleetEvent>(subscriber => {
      const shards = new OwnedShards({
        name: 'me',
        registry: { checkpoints: () => of({}), storeCheckpoints: () => of(undefined) },
        identities: { known$: of(true), given: () => undefined, of: identities },
        polls: { check: () => undefined, waiting: 1, watch: () => NEVER },
        subscriber,
        scheduler,
        monotonic: scheduler,
      });
      shards.applyAssignment(ALL_ASSIGNED, NOTHING_ASSIGNED);
      return () => shards.releaseAll().subscribe();
    });
    const running = events$.subscribe({
      next: event => reports.push(event.kind === 'identities_error' ? event.error : event.kind),
      error: (error: unknown) => reports.push(error),
    });
    pass(600_000);
    running.unsubscribe();
    return reports;
  }

  it('ask again for the identities of a shard if that has failed', () => {
    const error = new Error('the database is down');
    let calls = 0;
    const identities = () => {
      calls++;
      return calls === 1 ? throwError(() => error) : of(new Set(['an identity']));
    };
    deepStrictEqual(reportsOf(identities), ['assigned', error, 'ready']);
  });

  it('end the worker if the identities of a shard are invalid', () => {
    const error = new InputError('identities', 'ids', 'numbers');
    deepStrictEqual(
      reportsOf(() => throwError(() => error)),
      ['assigned', error],
    );
  });
});
