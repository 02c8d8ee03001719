// Follows identities: all of them by itself, or as a worker of a fleet.
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { merge, of, switchMap, timer } from 'rxjs';
import { createClient } from 'lobby-rx';
import { runFleet } from 'lobby-rx/fleet';
import { fromHttp } from 'lobby-rx/node';
import type { FollowerFigures, FromFollower, ToFollower } from './messages.js';

let events = 0;
let nats: NatsConnection | undefined;
const tell = (message: FromFollower) => process.send?.(message);

process.on('message', (message: ToFollower) => {
  if (message.kind === 'start') void start(message);
  else tell(figures());
});
process.on('disconnect', () => process.exit());

async function start(message: Extract<ToFollower, { kind: 'start' }>) {
  const { name, nats: port, lease, identities, from } = message;
  if (port === undefined) {
    const { url } = identities[0]!;
    const client = createClient({ url, token: 't', transport: fromHttp(), watch: { quota: Infinity } });
    const followed = identities.map(({ token }, i) =>
      timer(i * 2).pipe(switchMap(() => client.as(token).events.batches())),
    );
    merge(...followed).subscribe(batch => {
      events += batch.events.length;
    });
    return;
  }
  nats = await connect({ servers: `127.0.0.1:${port}` });
  const known = new Map(identities.map(({ identity_id, token, url }) => [identity_id, { token, url }]));
  runFleet({
    nats,
    name,
    lease,
    requestsPerMinute: 10_000_000,
    localAddresses: [from],
    identities$: of(known.keys()),
    client: identity_id => known.get(identity_id)!,
  }).subscribe(event => {
    if (event.kind === 'heartbeat' && event.heartbeat.worker === name) events = event.heartbeat.events;
    if (event.kind === 'assigned') tell({ kind: 'assigned', shard: event.shard, from: event.from });
  });
}

function figures(): FollowerFigures {
  global.gc?.();
  global.gc?.();
  const { user, system } = process.cpuUsage();
  const { inMsgs = 0, outMsgs = 0 } = nats?.stats() ?? {};
  const heap = process.memoryUsage().heapUsed;
  return { kind: 'figures', events, cpu: user + system, heap, messages: inMsgs + outMsgs };
}
