import { defer, map, type Observable } from 'rxjs';
import { checkOptions, type Options } from '../../error/index.js';
import { shardCount } from './fleet-config.js';
import { changeFleet, fleetName, natsConnection, type Nats } from './nats/index.js';

/** The options of {@link setShards}. */
export interface SetShardsConfig {
  /** A connection of `@nats-io/transport-node`, or the promise of one. It is not closed. */
  readonly nats: Nats;
  readonly shards: number;
  /** The name of the fleet. Default `lobby`. */
  readonly fleet?: string;
}

const OPTIONS: Options<SetShardsConfig> = { nats: natsConnection, shards: shardCount, fleet: fleetName };

/**
 * Divides a fleet into another number of shards. First stop all workers and consumers. Start them
 * with the new number when this has completed. Each identity goes on where it was. Cold. Emits the
 * new number, and completes.
 *
 * Errors: `FleetError` if a worker is alive, or the fleet does not exist. Throws an `InputError` if
 * the config is invalid.
 *
 * @example
 * await lastValueFrom(setShards({ nats: connect({ servers }), shards: 4_096 }));
 */
export function setShards(config: SetShardsConfig): Observable<number> {
  checkOptions(config, OPTIONS, '', ['nats', 'shards']);
  return defer(() => changeFleet(config)).pipe(map(() => config.shards));
}
