import { deepStrictEqual, ok } from 'node:assert';
import type { NatsConnection } from '@nats-io/transport-node';
import { NotYet } from '../../../../src/integrations/fleet/fleet-error.js';
import { natsProblem, whileStarting } from '../../../../src/integrations/fleet/nats/nats-problem.js';

describe('an error of NATS', () => {
  it('says what is the matter', () => {
    const said = (text: string) => natsProblem(new Error(text)).message;
    ok(
      said('JetStream system temporarily unavailable').startsWith(
        'JetStream of the NATS server is not ready',
      ),
    );
    ok(said('no suitable peers for placement').includes('has not enough servers'));
  });
});

describe('an error of NATS that may pass', () => {
  const alone = { info: {} } as NatsConnection;
  const cluster = { info: { cluster: 'c' } } as NatsConnection;
  const errors = [
    new NotYet('no worker'),
    natsProblem(new Error('stream not found')),
    new Error('jetstream is not enabled'),
    new Error('timeout'),
    new Error('else'),
  ];

  it('is one of a young fleet, of a slow server, or of a cluster, for a minute', async () => {
    let now = 5;
    const clock = { now: () => now };
    const single = whileStarting(alone, clock);
    const ofCluster = whileStarting(cluster, clock);
    await Promise.resolve();
    const all = () => [single, ofCluster].map(may => errors.map(may));
    deepStrictEqual(all(), [
      [true, true, false, true, false],
      [true, true, true, true, false],
    ]);
    now += 60_000;
    deepStrictEqual(all().flat().includes(true), false);
  });
});
