import { ok, rejects, throws } from 'node:assert';
import type { NatsConnection } from '@nats-io/transport-node';
import { lastValueFrom, of } from 'rxjs';
import {
  fleetBatches,
  fleetFeed,
  isFleetError,
  runFleet,
  setShards,
  FleetError,
  type FleetBatch,
  type FleetConfig,
} from 'lobby-rx/fleet';

const nats = { request: () => undefined } as unknown as NatsConnection;
const right: FleetConfig = {
  nats,
  identities$: of(['a']),
  client: () => ({ url: 'https://a.example', token: 't' }),
};

describe('the config of a fleet', () => {
  const refuses = (change: object, pattern: RegExp) => {
    throws(() => runFleet({ ...right, ...change }), pattern);
  };

  it('is refused before anything is sent, with what to change', () => {
    runFleet(right);
    throws(() => runFleet(undefined as unknown as FleetConfig), /config must be an object/);
    refuses(
      { nats: undefined },
      /nats must be what connect\(\) of @nats-io\/transport-node returns; got undefined/,
    );
    refuses({ nats: 'localhost' }, /nats must be what connect\(\)/);
    refuses({ identities$: 7 }, /identities\$ must be an Observable, a promise or an iterable/);
    refuses(
      { identities$: undefined },
      /identities\$ must be given, or identitiesOf\(shard\) instead of it; got neither/,
    );
    refuses({ identitiesOf: () => [] }, /identities\$ must be given, .* got both/);
    refuses({ identities$: undefined, identitiesOf: [] }, /identitiesOf must be a function/);
    refuses({ client: {} }, /client must be a function/);
    refuses({ shards: 0 }, /shards must be an integer from 1 to 65536/);
    refuses({ shards: 65_537 }, /shards must be/);
    refuses({ lease: 999 }, /lease must be a number of milliseconds, at least 1000/);
    refuses({ capacity: 0.5 }, /capacity must be an integer from 1 to 1000000000/);
    refuses({ name: 'a.b' }, /name must be a name of at most 64 letters, digits, _ and -/);
    refuses({ fleet: 'Lobby' }, /fleet must be a name of small letters/);
    refuses({ requestsPerMinute: 0 }, /requestsPerMinute must be/);
    refuses({ localAddresses: [] }, /localAddresses must be a list of IP addresses/);
    refuses({ localAddresses: [7] }, /localAddresses must be/);
    refuses({ localAddresses: ['localhost'] }, /localAddresses must be/);
    refuses({ replicas: 0 }, /replicas must be/);
    refuses({ maxAge: 1_000 }, /maxAge must be a number of milliseconds, at least 600000, and at most/);
    refuses({ maxAge: Infinity }, /maxAge must be a number of milliseconds, at least 600000, and at most/);
    // A month is longer than any timer.
    runFleet({ ...right, maxAge: 31 * 86_400_000 });
    refuses({ maxBytes: 1_000 }, /maxBytes must be a number of bytes, at least 16777216/);
    refuses({ drain$: 1 }, /drain\$ must be an Observable/);
    refuses(
      { identites$: 1 },
      /unknown option `identites\$`; did you mean `identities\$`\? Options: nats, identities\$/,
    );
  });

  it('of a consumer, too', () => {
    fleetBatches({ nats });
    throws(() => fleetBatches({} as { nats: NatsConnection }), /nats must be/);
    throws(() => fleetBatches({ nats, of: {} as { shard: number } }), /of must be \{ shard: number \}/);
    throws(() => fleetBatches({ nats, durable: 'a b' }), /durable must be/);
    for (const from of [7, { position: 7 }, { position: -1, storedAt: 0 }]) {
      const number = from as unknown as FleetBatch;
      throws(() => fleetBatches({ nats, from: number }), /from must be a batch, or \{ position, storedAt \}/);
    }
    fleetFeed({ nats, identity_id: 'a' });
    throws(() => fleetFeed({ nats } as { nats: NatsConnection; identity_id: string }), /identity_id must be/);
    throws(() => fleetFeed({ nats, identity_id: '' }), /identity_id must be/);
    throws(() => fleetFeed({ nats, identity_id: 'a', linger: -1 }), /linger must be/);
  });

  it('of another number of shards is refused, too; an error of NATS says what to do', async () => {
    throws(() => setShards({ nats, shards: 0 }), /shards must be an integer from 1 to 65536; got 0/);
    throws(() => setShards({ nats } as Parameters<typeof setShards>[0]), /shards must be/);
    const lost = Promise.reject<NatsConnection>(new Error('connection refused'));
    await rejects(lastValueFrom(setShards({ nats: lost, shards: 8 })), /was not reached: check its address/);
  });

  it('has an error of its own', () => {
    ok(isFleetError(new FleetError('x')));
    ok(!isFleetError(new Error('x')));
  });
});
