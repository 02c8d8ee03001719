import { BehaviorSubject, observeOn, Subject, type Observable, type Subscription } from 'rxjs';
import { createEmulator, type Emulator } from 'lobby-rx/emulator';
import { fleetWorker } from '../../../src/integrations/fleet/worker/fleet-worker.js';
import type { FleetEvent } from '../../../src/integrations/fleet/fleet-event.js';
import { listedIdentities } from '../../../src/integrations/fleet/worker/identities.js';
import { nonEmptyString } from '../../../src/error/index.js';
import { IdentityPolls } from '../../../src/integrations/fleet/worker/identity/identity-polls.js';
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

/** A service, a fleet's memory, and as many workers as are started, in virtual time. */
export function virtualFleet({
  identities: count = 10,
  shards = 8,
  lease = 4_000,
  requestsPerMinute = 60_000,
}: VirtualFleetConfig = {}) {
  const { scheduler, pass } = virtualTime();
  const emulator: Emulator = createEmulator({ scheduler, collectTime: 20 });
  const memory = new MemoryFleet(scheduler, lease, shards);
  const players = Array.from({ length: count }, () => emulator.addIdentity());
  const tokens = new Map(players.map(({ identity_id, token }) => [identity_id, token]));
  const identities$ = new BehaviorSubject<ReadonlySet<string>>(new Set(tokens.keys()));
  const published: { readonly identity_id: string; readonly number: number }[] = [];
  const workers: VirtualWorker[] = [];
  let number = 0;
  let keys = 0;

  const start = (name: string, more: VirtualWorkerConfig = {}): VirtualWorker => {
    const { capacity = 1_000, address, list$ = identities$ } = more;
    const own = freezable(scheduler);
    const link: Link = { isCut: false, isZombie: false, lostAnswers: 0, scheduler: own };
    const events: FleetEvent[] = [];
    const drain$ = new Subject<void>();
    const polls = new IdentityPolls({
      client: identity_id => ({
        ...emulator.urls,
        token: () => tokens.get(identity_id)!,
        watch: { wake$: [], backoff: { max: 2_000 } },
      }),
      addresses: [
        { name: address, transports: [request => emulator.transport(request).pipe(observeOn(own))] },
      ],
      log: memory.log(link),
      newKey: () => `${name} ${++keys}`,
      random: () => 0.5,
      emit: event => events.push(event),
      scheduler: own,
      monotonic: own,
      requestsPerMinute,
    });
    const worker: VirtualWorker = {
      name,
      link,
      scheduler: own,
      events,
      running: fleetWorker({
        name,
        instance: `${name} ${workers.length}`,
        shards,
        lease,
        capacity,
        registry: memory.registry(link),
        identities: listedIdentities(list$, shards, nonEmptyString),
        polls,
        drain$,
        scheduler: own,
        monotonic: own,
      }).subscribe({
        next: event => events.push(event),
        error: (error: unknown) => {
          worker.error = error;
        },
      }),
      drain: () => drain$.next(),
      kill: () => {
        link.isCut = true;
        own.kill();
      },
    };
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

  return {
    scheduler,
    pass,
    emulator,
    memory,
    identities$,
    ids: [...tokens.keys()],
    tokens,
    workers,
    start,
    publish,
    numbersOf,
    owners,
    held,
  };
}
