import { hasTag } from '../../error/index.js';

/**
 * NATS cannot carry the fleet. Perhaps it was not reached, access was denied, or it is not set up
 * for a fleet. The message says what to change.
 */
export class FleetError extends Error {
  readonly _tag = 'FleetError';
  override readonly name = 'FleetError';
}

/** The first worker has not set up the fleet yet. It may do so at any time. */
export class NotYet extends FleetError {}

/** The message of {@link NotYet} if nothing of the fleet is stored. */
export const NO_FLEET_YET = 'the fleet does not exist yet: none of its workers has run';

/**
 * Whether this is a `FleetError`, from any copy of this library in any realm.
 *
 * @example
 * runFleet(config).subscribe({
 *   error: error => console.error(isFleetError(error) ? error.message : error),
 * });
 */
export const isFleetError: (u: unknown) => u is FleetError = hasTag<FleetError>('FleetError');
