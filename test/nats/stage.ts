import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node';
import { BehaviorSubject, type Subscription } from 'rxjs';
import { createEmulator, listen } from 'lobby-rx/emulator';
import { runFleet, type FleetConfig, type FleetEvent } from 'lobby-rx/fleet';
import { waitUntil } from '../wait-until.js';
import { startNatsServer, type NatsServerConfig } from './nats-server.js';

/** A NATS server, a service over HTTP, and a fleet that follows its identities. */
export async function stage(config?: NatsServerConfig, login: ConnectionOptions = {}) {
  const server = await startNatsServer(config);
  const emulator = createEmulator({ collectTime: 5, blockTime: 10_000 });
  const service = await listen(emulator);
  const tokens = new Map<string, string>();
  const identities$ = new BehaviorSubject<ReadonlySet<string>>(new Set());
  const running: Subscription[] = [];

  /** Adds identities to those that the fleet follows. */
  const add = (count: number, more: { readonly identity_id?: string } = {}): readonly string[] => {
    const added = Array.from({ length: count }, () => emulator.addIdentity(more));
    for (const { identity_id, token } of added) tokens.set(identity_id, token);
    identities$.next(new Set(tokens.keys()));
    return added.map(({ identity_id }) => identity_id);
  };
  /** Starts a worker over a connection of its own. */
  const work = async (more: Partial<FleetConfig> = {}) => {
    const events: FleetEvent[] = [];
    const nats: NatsConnection = await server.connect(login);
    let error: unknown;
    const worker = runFleet({
      nats,
      identities$,
      shards: 8,
      lease: 2_000,
      requestsPerMinute: 60_000,
      client: identity_id => ({ url: service.url, token: () => tokens.get(identity_id)! }),
      ...more,
    }).subscribe({
      next: event => events.push(event),
      error: (thrown: unknown) => {
        error = thrown;
      },
    });
    running.push(worker);
    return { worker, events, nats, error: () => error };
  };
  /** Waits until all identities are followed. */
  const followed = () =>
    waitUntil(
      () =>
        new Set(
          emulator.requests
            .filter(({ pending, url }) => pending && url.includes('watch_index'))
            .map(({ token }) => token),
        ).size === tokens.size,
    );
  let number = 0;
  const publish = (identity_id: string, more: object = {}) => {
    emulator.publish(identity_id, { numbered: { number: ++number, ...more } });
    return number;
  };
  const end = async () => {
    for (const worker of running) worker.unsubscribe();
    await service.close();
    await server.remove();
  };
  return {
    server,
    emulator,
    service,
    tokens,
    identities$,
    running,
    add,
    work,
    followed,
    publish,
    end,
  };
}

/** The number of an event that {@link stage} has published. */
export function numberOf(event: { readonly kind: string; readonly payload?: unknown }): number {
  return (event.payload as { number: number }).number;
}
