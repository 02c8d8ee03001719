// One worker of the fleet.
import { connect } from '@nats-io/transport-node';
import { fromEvent, of } from 'rxjs';
import { runFleet } from 'lobby-rx/fleet';
import { clientMetrics, fleetMetrics } from 'lobby-rx/opentelemetry';
import { showMetrics } from '../show-metrics.js';
import type { Report, Start } from './messages.js';

process.once('message', (start: Start) => void work(start));
process.on('disconnect', () => process.exit());

async function work({ name, nats: port, url, lease, shards, identities, metrics }: Start): Promise<void> {
  if (metrics !== undefined) await showMetrics(metrics);
  // These have no effect without metrics.
  const log = clientMetrics();
  const measure = fleetMetrics(name);
  const tokens = new Map(identities);
  const nats = await connect({
    servers: `127.0.0.1:${port}`,
    maxReconnectAttempts: -1,
    pingInterval: 10_000,
    ignoreAuthErrorAbort: true,
  });
  const send = (report: Report) => process.send?.(report, () => undefined);
  runFleet({
    nats,
    name,
    lease,
    shards,
    identities$: of(tokens.keys()),
    client: identity_id => ({ url, token: tokens.get(identity_id)!, log }),
    // The emulator has no limit.
    requestsPerMinute: 60_000,
    drain$: fromEvent(process, 'SIGTERM'),
  }).subscribe({
    next: event => {
      measure(event);
      // An error cannot be sent as JSON.
      const sendable = 'error' in event ? { ...event, error: String(event.error) } : event;
      send({ kind: 'event', event: sendable });
    },
    error: (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
    complete: () => process.exit(),
  });
}
