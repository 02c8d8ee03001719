import type { NatsConnection } from '@nats-io/transport-node';
import { defer, map, type Observable } from 'rxjs';
import { FleetError } from '../fleet-error.js';

/** Fails when a connection is closed for good. One that is lost is made anew, as often as its options say. */
export function whenClosed(nats: NatsConnection): Observable<never> {
  return defer(() => nats.closed()).pipe(
    map(error => {
      const why = error ? `: ${error.message}` : '';
      throw new FleetError(`the connection to NATS was closed${why}; see its option maxReconnectAttempts`);
    }),
  );
}
