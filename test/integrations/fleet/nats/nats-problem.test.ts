import { deepStrictEqual } from 'node:assert';
import type { NatsConnection } from '@nats-io/transport-node';
import { FleetError } from '../../../../src/integrations/fleet/fleet-error.js';
import { whileStarting } from '../../../../src/integrations/fleet/nats/nats-problem.js';

describe('an error of NATS that may pass', () => {
  const alone = { info: {} } as NatsConnection;
  const cluster = { info: { cluster: 'c' } } as NatsConnection;
  const young = new FleetError('the fleet does not exist yet: none of its workers has run');
  const errors = [young, new Error('jetstream is not enabled'), new Error('timeout'), new Error('else')];

  it('is one of a young fleet, of a slow server, or of a cluster, for a minute', async () => {
    let now = 5;
    const clock = { now: () => now };
    const single = whileStarting(alone, clock);
    const ofCluster = whileStarting(cluster, clock);
    await Promise.resolve();
    const all = () => [single, ofCluster].map(may => errors.map(may));
    deepStrictEqual(all(), [
      [true, false, true, false],
      [true, true, true, false],
    ]);
    now += 60_000;
    deepStrictEqual(all().flat().includes(true), false);
  });
});
