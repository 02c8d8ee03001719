import type { JetStreamManager } from '@nats-io/jetstream';
import { firstValueFrom, timer } from 'rxjs';
import { FleetError } from '../fleet-error.js';
import { fleetStreams } from './fleet-names.js';
import { explained, OLDEST_CLUSTER, reach, requireVersion, type OpenFleetConfig } from './open-fleet.js';

/** How long to wait for the copies of a stream, in ms. A large stream takes long. */
const COPYING_MS = 600_000;

/** How often to look whether they are there, in ms. */
const LOOK_MS = 500;

/**
 * Sets how many servers keep each stream of a fleet, and waits until they do. Errors: `FleetError`.
 */
export async function changeReplicas(
  config: Pick<OpenFleetConfig, 'nats' | 'fleet'> & { readonly replicas: number },
): Promise<void> {
  const { replicas } = config;
  return explained(async () => {
    const { nats, jsm, names } = await reach(config);
    if (replicas > 1) requireVersion(nats, OLDEST_CLUSTER, 'a fleet with replicas');
    for (const stream of fleetStreams(names)) {
      const { num_replicas } = (await jsm.streams.info(stream)).config;
      if (num_replicas !== replicas) await jsm.streams.update(stream, { num_replicas: replicas });
      await whenCopied(jsm, stream, replicas);
    }
  });
}

/** Resolves when all copies of a stream are up to date. */
async function whenCopied(jsm: JetStreamManager, stream: string, replicas: number): Promise<void> {
  const until = performance.now() + COPYING_MS;
  for (;;) {
    const { cluster } = await jsm.streams.info(stream);
    // A single server is no cluster, and has the only copy.
    const others = cluster?.replicas ?? [];
    if (others.length === replicas - 1 && others.every(({ current }) => current)) return;
    if (performance.now() > until)
      throw new FleetError(`the copies of ${stream} are not up to date after ${COPYING_MS / 60_000} minutes`);
    await firstValueFrom(timer(LOOK_MS));
  }
}
