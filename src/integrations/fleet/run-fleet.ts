import { randomBytes, randomUUID } from 'node:crypto';
import {
  asyncScheduler,
  defer,
  map,
  merge,
  NEVER,
  Observable,
  of,
  shareReplay,
  switchMap,
  take,
  takeUntil,
} from 'rxjs';
import { flattened } from '../../stream/index.js';
import { fromHttp } from '../../transport/node/index.js';
import { FleetError } from './fleet-error.js';
import type { FleetEvent } from './fleet-event.js';
import { resolveFleetConfig, type FleetConfig, type FleetSettings } from './fleet-config.js';
import { fleetWorker, IdentityPolls, identitiesByShard, listedIdentities } from './worker/index.js';
import {
  NatsLog,
  NatsRegistry,
  NatsTime,
  openFleetToWork,
  retryWhileStarting,
  supervised,
  type WorkingFleet,
} from './nats/index.js';

/**
 * Makes this process one of the workers of a fleet. A fleet follows the live events of many
 * identities, and stores them in a stream of NATS JetStream. Each event of an identity is stored
 * once and in order, even if workers, connections or servers fail. Read the events with
 * `fleetBatches` and `fleetFeed`.
 *
 * Emits the events of the fleet. Cold: each subscription is another worker. It completes only after
 * `drain$`. Unsubscribing also ends all polls at once and gives up the shards. Call `await
 * nats.drain()` after it, so that NATS hears of it.
 *
 * Errors: `FleetError` if NATS cannot carry the fleet, does not start within a minute, or the
 * connection was closed. `InputError` if `shards` or `name` does not fit the fleet, or an id is not
 * a string. Everything else is retried, and reported as an event.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * const nats = await connect({ servers: 'localhost:4222', maxReconnectAttempts: -1 });
 * runFleet({
 *   nats,
 *   identities$: of(ids),
 *   client: id => ({ url, token: () => tokenOf(id) }),
 * }).subscribe(console.log);
 */
export function runFleet(config: FleetConfig): Observable<FleetEvent> {
  const settings = resolveFleetConfig(config);
  return new Observable(subscriber => {
    const opened$ = defer(() => openFleetToWork(settings)).pipe(
      retryWhileStarting(settings.nats, error => subscriber.next({ kind: 'nats_error', error })),
    );
    // Subscribed to from the beginning, so that it also ends a worker that still waits for NATS.
    const drain$ = flattened(settings.drain$ ?? NEVER).pipe(
      take(1),
      shareReplay({ bufferSize: 1, refCount: true }),
    );
    const work$ = merge(opened$, drain$.pipe(map(() => undefined))).pipe(
      take(1),
      switchMap(fleet =>
        fleet
          ? workOf(fleet, settings, drain$).pipe(takeUntil(supervised(fleet.nats)))
          : of({ kind: 'drained' } as const),
      ),
    );
    return work$.subscribe(subscriber);
  });
}

/**
 * To close a socket, an agent of Node looks through all its sockets. With tens of thousands of
 * identities and this many agents, each agent has a few hundred sockets.
 */
const AGENTS_PER_ADDRESS = 64;

function workOf(
  fleet: WorkingFleet,
  settings: FleetSettings,
  drain$: Observable<unknown>,
): Observable<FleetEvent> {
  const { client, lease, capacity, name, requestsPerMinute, address, localAddresses } = settings;
  const clock = { random: Math.random, scheduler: asyncScheduler, monotonic: performance };
  return new Observable(subscriber => {
    const instance = `${new Date().toISOString()} ${randomUUID()}`;
    // Short, because each record and each bare checkpoint has one.
    const keyPrefix = randomBytes(9).toString('base64url');
    let records = 0;
    if (fleet.otherLimits) subscriber.next({ kind: 'nats_error', error: new FleetError(fleet.otherLimits) });
    const time = new NatsTime();
    const polls = new IdentityPolls({
      client,
      requestsPerMinute,
      ...clock,
      log: new NatsLog(fleet, time),
      addresses: (localAddresses ?? [undefined]).map(localAddress => pollAddress(address, localAddress)),
      newKey: () => {
        records++;
        return `${keyPrefix}.${records.toString(36)}`;
      },
      emit: event => subscriber.next(event),
    });
    const { identitiesOf, identities$ } = settings;
    const registry = new NatsRegistry(fleet, time);
    return fleetWorker({
      name,
      instance,
      lease,
      capacity,
      shards: fleet.shards,
      scheduler: clock.scheduler,
      monotonic: clock.monotonic,
      drain$: merge(drain$, registry.drainOrders(instance)),
      registry,
      identities: identitiesOf
        ? identitiesByShard(identitiesOf, fleet.shards)
        : listedIdentities(identities$ ?? [], fleet.shards),
      polls,
    }).subscribe(subscriber);
  });
}

/** The address that polls are sent from. Without a name, its rate is not shared. */
function pollAddress(address: string | undefined, localAddress: string | undefined) {
  const names = [address, localAddress].filter(name => name !== undefined);
  const transports = Array.from({ length: AGENTS_PER_ADDRESS }, () =>
    fromHttp({ agentOptions: localAddress === undefined ? {} : { localAddress } }),
  );
  return { name: names.length > 0 ? names.join(' ') : undefined, transports };
}
