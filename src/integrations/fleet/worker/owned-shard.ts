import { Subscription, type Observable, type Subscriber, type TimestampProvider } from 'rxjs';
import type { FleetEvent } from '../fleet-event.js';
import type { BareCheckpoints, FleetRegistry } from './fleet-registry.js';
import type { IdentityEvent, IdentityPolls, IdentityStatuses } from './identity/index.js';
import { reportNatsError } from './report-nats-error.js';
import { ShardCheckpoints } from './shard-checkpoints.js';

/** What all shards of a worker share. */
export interface OwnedShardContext {
  readonly registry: Pick<FleetRegistry, 'storeCheckpoints'>;
  readonly polls: Pick<IdentityPolls, 'watch'>;
  readonly statuses: IdentityStatuses;
  readonly subscriber: Subscriber<FleetEvent>;
  readonly monotonic: TimestampProvider;
  /** Called when the identities are known, and when one has been polled for the first time. */
  readonly onProgress: () => void;
}

/** A shard that a worker owns. Watches the identities in it, and keeps their bare checkpoints. */
export class OwnedShard {
  readonly #shard: number;
  readonly #context: OwnedShardContext;
  readonly #checkpoints: ShardCheckpoints;
  /** By identity. */
  readonly #watches = new Map<string, Subscription>();
  #isKnown = false;

  constructor(shard: number, stored: BareCheckpoints, context: OwnedShardContext) {
    this.#shard = shard;
    this.#context = context;
    this.#checkpoints = new ShardCheckpoints(stored, context.monotonic.now());
  }

  /** Whether the identities in the shard are known. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** How many identities of the shard are followed. */
  get size(): number {
    return this.#watches.size;
  }

  /** Watches these identities, and no others. */
  setIdentities(wanted: ReadonlySet<string>): void {
    // Keeps the checkpoints of removed identities, because one may be wanted again in a moment.
    for (const identity_id of this.#watches.keys()) {
      if (!wanted.has(identity_id)) this.#unwatch(identity_id);
    }
    const added = [...wanted].filter(identity_id => !this.#watches.has(identity_id));
    for (const identity_id of this.#checkpoints.inOrder(added)) this.#watch(identity_id);
    this.#isKnown = true;
    this.#context.onProgress();
  }

  /** Ends all watches. Stores nothing. */
  close(): void {
    for (const identity_id of this.#watches.keys()) this.#unwatch(identity_id);
  }

  /** Whether a bare checkpoint has not been stored for a while. */
  get isUnsaved(): boolean {
    return this.#checkpoints.isUnsaved(this.#context.monotonic.now());
  }

  storeCheckpoints(): Observable<unknown> {
    const { registry, subscriber, monotonic } = this.#context;
    const checkpoints = this.#checkpoints.save(monotonic.now());
    return registry.storeCheckpoints(this.#shard, checkpoints).pipe(reportNatsError(subscriber));
  }

  #watch(identity_id: string): void {
    const { polls, statuses } = this.#context;
    const watch = new Subscription();
    this.#watches.set(identity_id, watch);
    statuses.add(identity_id);
    watch.add(polls.watch(identity_id, this.#checkpoints).subscribe(event => this.#next(identity_id, event)));
  }

  #unwatch(identity_id: string): void {
    this.#watches.get(identity_id)?.unsubscribe();
    this.#watches.delete(identity_id);
    this.#context.statuses.delete(identity_id);
  }

  #next(identity_id: string, event: IdentityEvent): void {
    const { statuses, monotonic, onProgress } = this.#context;
    const { starting } = statuses;
    statuses.next(identity_id, event, monotonic.now());
    if (event.kind === 'checkpoint') this.#checkpoints.keep(identity_id, event.checkpoint);
    if (event.kind === 'stored') this.#checkpoints.drop(identity_id);
    this.#report(identity_id, event);
    if (statuses.starting < starting) onProgress();
  }

  /** Reports the events of an identity that are reported one by one. */
  #report(identity_id: string, event: IdentityEvent): void {
    const { subscriber } = this.#context;
    if (event.kind === 'conflict') subscriber.next({ kind: 'conflict', identity_id });
    if (event.kind === 'stored' && event.gap) subscriber.next({ kind: 'gap', identity_id, gap: event.gap });
    if (event.kind === 'rejected') {
      const { error, retryIn } = event;
      subscriber.next({ kind: 'identity_rejected', identity_id, error, retryIn });
    }
  }
}
