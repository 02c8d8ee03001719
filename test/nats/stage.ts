import type { ConnectionOptions } from '@nats-io/transport-node';
import { BehaviorSubject, type Subscription } from 'rxjs';
import { createEmulator, listen, type Emulator } from 'lobby-rx/emulator';
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

  /** Makes identities, and adds them to the list of the fleet. */
  const add = (count: number, more: { readonly identity_id?: string } = {}): readonly string[] => {
    const added = Array.from({ length: count }, () => emulator.addIdentity(more));
    for (const { identity_id, token } of added) tokens.set(identity_id, token);
    identities$.next(new Set(tokens.keys()));
    return added.map(({ identity_id }) => identity_id);
  };
  /** Starts a worker with its own connection. */
  const work = async (more: Partial<FleetConfig> = {}) => {
    const nats = await (more.nats ?? server.connect(login));
    const client = (identity_id: string) => ({ url: service.url, token: () => tokens.get(identity_id)! });
    const working = startWorker({ identities$, client, ...more, nats });
    running.push(working.worker);
    return { ...working, nats };
  };
  /** Waits until all identities are followed. */
  const followed = () => waitUntil(() => polledTokens(emulator).size === tokens.size);
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

function startWorker(config: FleetConfig) {
  const events: FleetEvent[] = [];
  let error: unknown;
  const worker = runFleet({ shards: 8, lease: 2_000, requestsPerMinute: 60_000, ...config }).subscribe({
    next: event => events.push(event),
    error: (thrown: unknown) => {
      error = thrown;
    },
  });
  return { worker, events, error: () => error };
}

/** The tokens of all polls that the service holds. */
function polledTokens({ requests }: Emulator): ReadonlySet<string | undefined> {
  const polls = requests.filter(({ pending, url }) => pending && url.includes('watch_index'));
  return new Set(polls.map(({ token }) => token));
}

/** The number of an event that {@link stage} has published. */
export function numberOf(event: { readonly kind: string; readonly payload?: unknown }): number {
  return (event.payload as { number: number }).number;
}
