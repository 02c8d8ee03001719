import { catchError, EMPTY, type MonoTypeOperatorFunction, type Subscriber } from 'rxjs';
import type { FleetEvent } from '../fleet-event.js';

/** Reports an error of NATS as an event of the fleet, and completes instead. */
export function reportNatsError<T>(subscriber: Subscriber<FleetEvent>): MonoTypeOperatorFunction<T> {
  return catchError((error: unknown) => {
    subscriber.next({ kind: 'nats_error', error });
    return EMPTY;
  });
}
