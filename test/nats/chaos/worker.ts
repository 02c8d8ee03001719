// A worker of the fleet in a separate process, which is killed and frozen during the run.
import { connect } from '@nats-io/transport-node';
import {
  BehaviorSubject,
  filter,
  map,
  merge,
  mergeMap,
  Subject,
  take,
  tap,
  throwError,
  type Observable,
  type Subscription,
} from 'rxjs';
import { TransportError, type Transport } from 'lobby-rx';
import { runFleet } from 'lobby-rx/fleet';
import { fromHttp } from 'lobby-rx/node';
import type { FromWorker, ToWorker } from './messages.js';

type Start = Extract<ToWorker, { readonly kind: 'start' }>;

const identities$ = new BehaviorSubject<readonly string[]>([]);
const tokens$ = new Subject<{ readonly identity_id: string; readonly token: string }>();
const known = new Map<string, string>();
const http = fromHttp();
const banned$ = new Subject<void>();
let isReachable = true;
const send = (message: FromWorker) => process.send?.(message);
let leave: () => Promise<void> = () => Promise.resolve();

process.on('message', (message: ToWorker) => void receive(message));
process.on('disconnect', () => process.exit());

async function receive(message: ToWorker): Promise<void> {
  switch (message.kind) {
    case 'start':
      await start(message);
      return;
    case 'identities':
      identities$.next(message.identities);
      return;
    case 'token':
      tokens$.next(message);
      return;
    case 'clock': {
      const now = Date.now;
      Date.now = () => now() + message.ahead;
      return;
    }
    case 'service':
      isReachable = message.isReachable;
      if (!isReachable) banned$.next();
      return;
    case 'leave':
      await leave();
  }
}

async function start({ name, nats: ports, url, lease, shards, identities }: Start): Promise<void> {
  identities$.next(identities);
  const nats = await connect({
    servers: ports.map(port => `127.0.0.1:${port}`),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    // Their own addresses would lead past the relays.
    ignoreClusterUpdates: true,
  });
  const working: Subscription = runFleet({
    nats,
    identities$,
    name,
    lease,
    shards,
    replicas: ports.length,
    requestsPerMinute: 1_000_000,
    client: identity_id => ({
      url,
      transport: reachable,
      watch: { backoff: { max: 2_000 } },
      token: { get: () => known.get(identity_id) ?? renewed(identity_id), renew: () => renewed(identity_id) },
    }),
  }).subscribe({
    next: event => {
      if (event.kind !== 'nats_error' && event.kind !== 'identity_rejected') send({ kind: 'event', event });
      else send({ kind: 'event', event: { ...event, error: String(event.error) } });
    },
    error: (error: unknown) => {
      console.error(`${name} ended:`, error);
      process.exit(1);
    },
  });
  leave = async () => {
    working.unsubscribe();
    // The server may have been removed already.
    await nats.drain().catch(() => undefined);
    process.exit();
  };
}

/** Sends requests, unless the service bans the address of this worker, which ends held polls. */
const reachable: Transport = request => {
  const ban = () => new TransportError('unreachable', 'the address is banned', request);
  if (!isReachable) return throwError(ban);
  return merge(http(request), banned$.pipe(mergeMap(() => throwError(ban)))).pipe(take(1));
};

/** Asks for a token. */
function renewed(identity_id: string): Observable<string> {
  send({ kind: 'token', identity_id });
  return tokens$.pipe(
    filter(token => token.identity_id === identity_id),
    take(1),
    map(({ token }) => token),
    tap(token => known.set(identity_id, token)),
  );
}
