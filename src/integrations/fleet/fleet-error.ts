import { hasTag } from '../../error/index.js';

/**
 * NATS cannot carry a fleet as it is: it is not reached, not allowed, or not set up. The message
 * says what to change.
 */
export class FleetError extends Error {
  readonly _tag = 'FleetError';
  override readonly name = 'FleetError';
}

/**
 * Whether this is a `FleetError`, from any copy of this library in any realm.
 *
 * @example
 * runFleet(config).subscribe({
 *   error: error => console.error(isFleetError(error) ? error.message : error),
 * });
 */
export const isFleetError: (u: unknown) => u is FleetError = hasTag<FleetError>('FleetError');
