import { deepStrictEqual } from 'node:assert';
import { NEVER, of } from 'rxjs';
import type { FleetHead } from '../../../../../src/integrations/fleet/worker/fleet-log.js';
import type { BareCheckpoint } from '../../../../../src/integrations/fleet/worker/fleet-registry.js';
import { storedWatch } from '../../../../../src/integrations/fleet/worker/identity/stored-watch.js';
import { virtualTime } from '../../../../virtual-time.js';

/** The index from which an identity is watched. */
function startOf(head: FleetHead, bare: BareCheckpoint): unknown {
  const { scheduler } = virtualTime();
  let start: unknown;
  const watching = storedWatch({
    identity_id: 'a',
    watch: ({ from }) => {
      start = typeof from === 'object' ? from?.index : from;
      return NEVER;
    },
    log: { lost$: NEVER, head: () => of(head), append: () => NEVER },
    checkpoints: { of: () => bare },
    newKey: () => 'new',
    random: () => 0.5,
    scheduler,
    monotonic: scheduler,
  }).subscribe();
  watching.unsubscribe();
  return start;
}

describe('the watch of an identity in a fleet', () => {
  const bare = { sequence: 7, key: 'old', index: '20', since: 0 };
  const head = (key: string): FleetHead => ({
    last: 7,
    record: { sequence: 7, key, checkpoint: { index: '10', since: 0 } },
  });

  it('begins at the bare checkpoint after its last record', () => {
    deepStrictEqual(startOf(head('old'), bare), '20');
    // All records have expired.
    deepStrictEqual(startOf({ last: 0, record: undefined }, bare), '20');
  });

  it('begins at its last record if that has the position of the one that a bare checkpoint came after', () => {
    deepStrictEqual(startOf(head('stored after NATS was set back'), bare), '10');
  });
});
