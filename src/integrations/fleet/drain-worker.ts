import { defer, map, type Observable } from 'rxjs';
import { checkOptions, type Options } from '../../error/index.js';
import { fleetName, natsConnection, orderDrain, workerName, type Nats } from './nats/index.js';

/** The options of {@link drainWorker}. */
export interface DrainWorkerConfig {
  /** A connection of `@nats-io/transport-node`, or the promise of one. It is not closed. */
  readonly nats: Nats;
  /** The name of the worker. */
  readonly worker: string;
  /** The name of the fleet. Default `lobby`. */
  readonly fleet?: string;
}

const OPTIONS: Options<DrainWorkerConfig> = { nats: natsConnection, worker: workerName, fleet: fleetName };

/**
 * Tells a worker to give up everything, as its own `drain$` does. Others take its shards at once.
 * Its `runFleet` emits `drained` and completes. A process that starts later under the same name is
 * not drained. Cold. Emits the name once the worker has left, and completes.
 *
 * Errors: `FleetError` if no such worker is alive, the user of NATS may not do this, or the worker
 * has not left within 30 s. Throws an `InputError` if the config is invalid.
 *
 * @example
 * await lastValueFrom(drainWorker({ nats: connect({ servers }), worker: 'ada' }));
 */
export function drainWorker(config: DrainWorkerConfig): Observable<string> {
  checkOptions(config, OPTIONS, '', ['nats', 'worker']);
  return defer(() => orderDrain(config)).pipe(map(() => config.worker));
}
