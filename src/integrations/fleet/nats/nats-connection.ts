import type { NatsConnection, Status } from '@nats-io/transport-node';
import {
  asyncScheduler,
  defer,
  exhaustMap,
  filter,
  firstValueFrom,
  ignoreElements,
  map,
  merge,
  Observable,
  race,
  ReplaySubject,
  share,
  takeUntil,
  tap,
  timer,
  type SchedulerLike,
} from 'rxjs';
import { fieldsOf, type Guard } from '../../../error/index.js';
import { every } from '../../../stream/index.js';
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
function whenClosed(nats: NatsConnection): Observable<never> {
  return closed(nats).pipe(
    map(error => {
      const why = error ? `: ${error.message}` : '';
      throw new FleetError(
        `the connection to NATS was closed${why}; see its options maxReconnectAttempts and ignoreAuthErrorAbort`,
      );
    }),
  );
}

/** How often a server is asked whether it is there, and how long it may take to answer, in ms. */
const PING_MS = 10_000;

/** After this many questions without an answer, the connection is given up. */
const SILENT_PINGS = 2;

/**
 * Makes a connection again whose server is silent. No packet says that a machine has lost its
 * power, or that one direction of a connection is dead, and nats.js notices it after six minutes by
 * default. It never emits.
 */
export function pinged(
  nats: Pick<NatsConnection, 'rtt' | 'reconnect'>,
  scheduler: SchedulerLike = asyncScheduler,
): Observable<never> {
  return defer(() => {
    let silent = 0;
    // A rejection is no silence: the connection is known to be lost.
    const answered$ = defer(() => nats.rtt().catch(() => 0)).pipe(map(() => 0));
    const silent$ = timer(PING_MS, scheduler).pipe(map(() => silent + 1));
    return every(PING_MS, scheduler).pipe(
      exhaustMap(() => race(answered$, silent$)),
      tap(count => {
        silent = count;
        if (silent < SILENT_PINGS) return;
        silent = 0;
        nats.reconnect().catch(() => undefined);
      }),
      ignoreElements(),
    );
  });
}

const pinging = oncePerConnection(nats => pinged(nats).pipe(share()));

/** Makes a silent connection again, and errors when it is closed for good. */
export function supervised(nats: NatsConnection): Observable<never> {
  return merge(whenClosed(nats), pinging(nats));
}

/** How long the promise of a connection may be open before that is reported, in ms. */
const CONNECTING_MS = 10_000;

/**
 * Emits an error if a connection is not there after ten seconds. With `waitOnFirstConnect`, nats.js
 * waits for ever and says nothing.
 */
export function slowConnect(nats: Nats): Observable<FleetError> {
  const connected$ = defer(() => Promise.resolve(nats).catch(() => undefined));
  return timer(CONNECTING_MS).pipe(
    map(
      () =>
        new FleetError(
          `connect() of nats.js has not connected for ${CONNECTING_MS / 1_000} s, and goes on: check its servers, port and tls; without waitOnFirstConnect, it says what fails`,
        ),
    ),
    takeUntil(connected$),
  );
}
