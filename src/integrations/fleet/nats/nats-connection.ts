import type { NatsConnection, Status } from '@nats-io/transport-node';
import { defer, filter, firstValueFrom, map, merge, Observable, ReplaySubject, share } from 'rxjs';
import type { Guard } from '../../../error/index.js';
import { FleetError } from '../fleet-error.js';

/** A connection to NATS, or one that is being made. */
export type Nats = NatsConnection | PromiseLike<NatsConnection>;

export const natsConnection: Guard<Nats> = {
  name: 'what connect() of @nats-io/transport-node returns',
  is: (u): u is Nats => {
    const { then, request } = Object(u) as { then?: unknown; request?: unknown };
    return typeof then === 'function' || typeof request === 'function';
  },
};

/**
 * One subscription to each connection: those that come and go would stay in its lists for as long
 * as it lives.
 */
function oncePerConnection<T>(
  observe: (nats: NatsConnection) => Observable<T>,
): (nats: NatsConnection) => Observable<T> {
  const known = new WeakMap<NatsConnection, Observable<T>>();
  return nats => {
    const shared = known.get(nats) ?? observe(nats);
    known.set(nats, shared);
    return shared;
  };
}

/** What happens to a connection: that it is lost, that it is there again. It never fails. */
export const connectionStatus = oncePerConnection(nats =>
  new Observable<Status>(subscriber => {
    const follow = async () => {
      for await (const status of nats.status()) subscriber.next(status);
      subscriber.complete();
    };
    void follow();
  }).pipe(share({ resetOnRefCountZero: false })),
);

const closed = oncePerConnection(nats =>
  defer(() => nats.closed()).pipe(
    share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: false, resetOnComplete: false }),
  ),
);

/** Resolves when a connection that was lost is there again. Fails when it is closed for good. */
export function whenConnected(nats: NatsConnection): Promise<unknown> {
  const reconnected$ = connectionStatus(nats).pipe(filter(({ type }) => type === 'reconnect'));
  return firstValueFrom(merge(reconnected$, whenClosed(nats)));
}

/**
 * Fails when a connection is closed for good. One that is lost is made again, as often as its
 * options say.
 */
export function whenClosed(nats: NatsConnection): Observable<never> {
  return closed(nats).pipe(
    map(error => {
      const why = error ? `: ${error.message}` : '';
      throw new FleetError(`the connection to NATS was closed${why}; see its option maxReconnectAttempts`);
    }),
  );
}
