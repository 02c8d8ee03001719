import { BehaviorSubject, observeOn, Subject, throwError } from 'rxjs';
import { TransportError } from 'lobby-rx';
import type { Observable, SchedulerLike, Subscription } from 'rxjs';
import { createEmulator, type Emulator } from 'lobby-rx/emulator';
import { fleetWorker } from '../../../src/integrations/fleet/worker/fleet-worker.js';
import type { FleetEvent } from '../../../src/integrations/fleet/fleet-event.js';
import { listedIdentities } from '../../../src/integrations/fleet/worker/identities.js';
import { IdentityPolls } from '../../../src/integrations/fleet/worker/identity/identity-polls.js';
import type { Transport } from '../../../src/transport/index.js';
import { virtualTime } from '../../virtual-time.js';
import { freezable, type Freezable } from './freezable.js';
import { MemoryFleet, type Link } from './memory-fleet.js';

export interface VirtualWorker {
  readonly name: string;
  readonly link: Link;
  readonly scheduler: Freezable;
  readonly events: FleetEvent[];
  /** The error that it ended with. */
  error?: unknown;
  readonly running: Subscription;
  /** What it is to give up everything for emits. */
  drain(): void;
  /** The process ends at once. */
  kill(): void;
}

export interface VirtualWorkerConfig {
  readonly capacity?: number;
  readonly address?: string;
  /** Instead of those of the others. */
  readonly list$?: Observable<ReadonlySet<string>>;
}

/** What {@link virtualFleet} is made of. */
export interface VirtualFleetConfig {
  readonly identities?: number;
  readonly shards?: number;
  readonly lease?: number;
  readonly requestsPerMinute?: number;
}

/** What the workers of a virtual fleet share. */
interface Shared {
  readonly scheduler: SchedulerLike;
  readonly emulator: Emulator;
  readonly memory: MemoryFleet;
  readonly tokens: ReadonlyMap<string, string>;
  readonly identities$: Observable<ReadonlySet<string>>;
  readonly shards: number;
  readonly lease: number;
  readonly requestsPerMinute: number;
}

/** A service, a fleet's memory, and as many workers as are started, in virtual time. */
export function virtualFleet({
  identities: count = 10,
  shards = 8,
  lease = 4_000,
  requestsPerMinute = 60_000,
}: VirtualFleetConfig = {}) {
  const { scheduler, pass } = virtualTime();
  const emulator = createEmulator({ scheduler, collectTime: 20 });
  const memory = new MemoryFleet(scheduler, lease, shards);
  const players = Array.from({ length: count }, () => emulator.addIdentity());
  const tokens = new Map(players.map(({ identity_id, token }) => [identity_id, token]));
  const identities$ = new BehaviorSubject<ReadonlySet<string>>(new Set(tokens.keys()));
  const shared = { scheduler, emulator, memory, tokens, identities$, shards, lease, requestsPerMinute };
  const published: { readonly identity_id: string; readonly number: number }[] = [];
  const workers: VirtualWorker[] = [];
  let number = 0;

  const start = (name: string, more: VirtualWorkerConfig = {}): VirtualWorker => {
    const worker = startWorker(shared, `${name} ${workers.length}`, name, more);
    workers.push(worker);
    return worker;
  };
  /** The service has an event for an identity. */
  const publish = (identity_id: string) => {
    emulator.publish(identity_id, { numbered: { number: ++number } });
    published.push({ identity_id, number });
  };
  /** The numbers of an identity's events: those that were published, and those that are stored. */
  const numbersOf = (identity_id: string) => ({
    published: published.filter(event => event.identity_id === identity_id).map(event => event.number),
    stored: memory
      .recordsOf(identity_id)
      .flatMap(({ answer }) => answer.events)
      .map(event => (event as { kind: { numbered: { number: number } } }).kind.numbered.number),
  });
  const owners = () => new Set(memory.owners);
  const held = ({ name }: VirtualWorker) =>
    memory.owners.flatMap((owner, shard) => (owner === name ? [shard] : []));
  const ids = [...tokens.keys()];
  return {
    scheduler,
    pass,
    emulator,
    memory,
    identities$,
    ids,
    tokens,
    workers,
    start,
    publish,
    numbersOf,
    owners,
    held,
  };
}

function startWorker(
  shared: Shared,
  instance: string,
  name: string,
  { capacity = 1_000, address, list$ = shared.identities$ }: VirtualWorkerConfig,
): VirtualWorker {
  const { shards, lease, memory } = shared;
  const scheduler = freezable(shared.scheduler);
  const link: Link = {
    isCut: false,
    isZombie: false,
    isDeaf: false,
    isBanned: false,
    isBlind: false,
    lostAnswers: 0,
    scheduler,
  };
  const events: FleetEvent[] = [];
  const drain$ = new Subject<void>();
  const polls = pollsOf(shared, instance, address, link, events);
  const worker$ = fleetWorker({
    name,
    instance,
    shards,
    lease,
    capacity,
    registry: memory.registry(link),
    identities: listedIdentities(list$, shards),
    polls,
    drain$,
    scheduler,
    monotonic: scheduler,
  });
  const worker: VirtualWorker = {
    name,
    link,
    scheduler,
    events,
    running: worker$.subscribe({
      next: event => events.push(event),
      error: (error: unknown) => {
        worker.error = error;
      },
    }),
    drain: () => drain$.next(),
    kill: () => {
      link.isCut = true;
      scheduler.kill();
    },
  };
  return worker;
}

function pollsOf(
  { emulator, memory, tokens, requestsPerMinute }: Shared,
  instance: string,
  address: string | undefined,
  link: Link,
  events: FleetEvent[],
): IdentityPolls {
  const { scheduler } = link;
  const transport: Transport = request => {
    const banned = () => new TransportError('unreachable', 'banned', request);
    const answer$ = link.isBanned ? throwError(banned) : emulator.transport(request);
    return answer$.pipe(observeOn(scheduler));
  };
  let keys = 0;
  return new IdentityPolls({
    client: identity_id => ({
      ...emulator.urls,
      token: () => tokens.get(identity_id)!,
      watch: { wake$: [], backoff: { max: 2_000 } },
    }),
    addresses: [{ name: address, transports: [transport] }],
    log: memory.log(link),
    newKey: () => `${instance} ${++keys}`,
    random: () => 0.5,
    emit: event => events.push(event),
    scheduler,
    monotonic: scheduler,
    requestsPerMinute,
  });
}
