import { defer, map, type Observable } from 'rxjs';
import { checkOptions, positiveInteger, type Options } from '../../error/index.js';
import { changeReplicas, fleetName, natsConnection, type Nats } from './nats/index.js';

/** The options of {@link setReplicas}. */
export interface SetReplicasConfig {
  /** A connection of `@nats-io/transport-node`, or the promise of one. It is not closed. */
  readonly nats: Nats;
  /** How many servers are to keep each stream: 1, 3 or 5. */
  readonly replicas: number;
  /** The name of the fleet. Default `lobby`. */
  readonly fleet?: string;
}

const OPTIONS: Options<SetReplicasConfig> = {
  nats: natsConnection,
  replicas: positiveInteger,
  fleet: fleetName,
};

/**
 * Sets how many servers of a cluster keep the streams and buckets of a fleet. Workers and consumers
 * may go on meanwhile. Cold. Emits the new number once all copies are up to date, and completes.
 *
 * Errors: `FleetError` if the fleet does not exist, the cluster has not enough servers, or a stream
 * is not copied within ten minutes. Throws an `InputError` if the config is invalid.
 *
 * @example
 * await lastValueFrom(setReplicas({ nats: connect({ servers }), replicas: 3 }));
 */
export function setReplicas(config: SetReplicasConfig): Observable<number> {
  checkOptions(config, OPTIONS, '', ['nats', 'replicas']);
  return defer(() => changeReplicas(config)).pipe(map(() => config.replicas));
}
