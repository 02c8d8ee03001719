import type { NatsConnection, Status } from '@nats-io/transport-node';
import { defer, filter, firstValueFrom, map, merge, Observable, ReplaySubject, share } from 'rxjs';
import { fieldsOf, type Guard } from '../../../error/index.js';
import { FleetError } from '../fleet-error.js';

/** A connection to NATS, or the promise of one. */
export type Nats = NatsConnection | PromiseLike<NatsConnection>;

export const natsConnection: Guard<Nats> = {
  name: 'what connect() of @nats-io/transport-node returns',
  is: (u): u is Nats => {
    const { then, request } = fieldsOf(u);
    return typeof then === 'function' || typeof request === 'function';
  },
};

/**
 * Observes each connection only once. A connection keeps its observers for as long as it lives, so
 * many short ones would fill its memory.
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

/** Emits each change of a connection, such as a disconnect or a reconnect. It never errors. */
export const connectionStatus = oncePerConnection(nats =>
  new Observable<Status>(subscriber => {
    const follow = async () => {
      for await (const status of nats.status()) subscriber.next(status);
      subscriber.complete();
    };
    void follow();
  }).pipe(share({ resetOnRefCountZero: false })),
);

/** Emits each time that a lost connection is there again. */
export function reconnected(nats: NatsConnection): Observable<unknown> {
  return connectionStatus(nats).pipe(filter(({ type }) => type === 'reconnect'));
}

const closed = oncePerConnection(nats =>
  defer(() => nats.closed()).pipe(
    share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: false, resetOnComplete: false }),
  ),
);

/** Resolves when a lost connection is there again. Rejects when it is closed for good. */
export function whenConnected(nats: NatsConnection): Promise<unknown> {
  return firstValueFrom(merge(reconnected(nats), whenClosed(nats)));
}

/**
 * Errors when a connection is closed for good. A lost connection is made again, as often as its
 * options say.
 */
export function whenClosed(nats: NatsConnection): Observable<never> {
  return closed(nats).pipe(
    map(error => {
      const why = error ? `: ${error.message}` : '';
      throw new FleetError(
        `the connection to NATS was closed${why}; see its options maxReconnectAttempts and ignoreAuthErrorAbort`,
      );
    }),
  );
}
