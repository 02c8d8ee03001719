import { ok, throws } from 'node:assert';
import type { NatsConnection } from '@nats-io/transport-node';
import { of } from 'rxjs';
import {
  fleetBatches,
  fleetFeed,
  isFleetError,
  runFleet,
  FleetError,
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
      { identites$: 1 },
      /unknown option `identites\$`; did you mean `identities\$`\? Options: nats, identities\$/,
    );
  });

  it('of a consumer, too', () => {
    fleetBatches({ nats });
    throws(() => fleetBatches({} as { nats: NatsConnection }), /nats must be/);
    throws(() => fleetBatches({ nats, of: {} as { shard: number } }), /of must be \{ shard: number \}/);
    throws(() => fleetBatches({ nats, durable: 'a b' }), /durable must be/);
    throws(() => fleetBatches({ nats, from: -1 }), /from must be the position of a batch/);
    fleetFeed({ nats, identity_id: 'a' });
    throws(() => fleetFeed({ nats } as { nats: NatsConnection; identity_id: string }), /identity_id must be/);
    throws(() => fleetFeed({ nats, identity_id: '' }), /identity_id must be/);
    throws(() => fleetFeed({ nats, identity_id: 'a', linger: -1 }), /linger must be/);
  });

  it('has an error of its own', () => {
    ok(isFleetError(new FleetError('x')));
    ok(!isFleetError(new Error('x')));
  });
});
