import type { TimestampProvider } from 'rxjs';
import type { FleetEvent, Heartbeat } from '../../fleet-event.js';
import type { Participant } from '../assign-shards.js';
import type { Presence } from '../fleet-registry.js';
import type { Identities } from '../identities.js';
import type { IdentityPolls } from '../identity/index.js';
import { Overload, type OverloadConfig } from './overload.js';
import type { OwnedShards } from '../owned-shards.js';
import { Trial } from './trial.js';

/** The options of {@link SelfReport}. */
export interface SelfReportConfig extends OverloadConfig {
  readonly name: string;
  readonly instance: string;
  readonly lease: number;
  readonly identities: Pick<Identities, 'given'>;
  readonly polls: Pick<IdentityPolls, 'addresses' | 'waiting'>;
  readonly monotonic: TimestampProvider;
}

/** What a worker reports about itself, to its process and to the other workers. */
export class SelfReport {
  readonly #config: SelfReportConfig;
  readonly #owned: Pick<OwnedShards, 'counts'>;
  readonly #overload: Overload;
  readonly #trial: Trial;

  constructor(config: SelfReportConfig, owned: Pick<OwnedShards, 'counts'>) {
    this.#config = config;
    this.#owned = owned;
    this.#overload = new Overload(config);
    this.#trial = new Trial(config.lease);
  }

  /** Measures how late timers are until it is unsubscribed from. */
  measure() {
    return this.#overload.measure();
  }

  /** Call it at each tick. Returns an event when the worker begins to have too much to do. */
  check(): readonly FleetEvent[] {
    const heartbeat = this.heartbeat;
    this.#trial.check(heartbeat, this.#config.monotonic.now());
    return this.#overload.check(heartbeat.identities);
  }

  get heartbeat(): Heartbeat {
    const { name, instance, capacity, polls } = this.#config;
    const { late } = this.#overload;
    return { worker: name, instance, capacity, ...this.#owned.counts(), waiting: polls.waiting, late };
  }

  get participant(): Participant {
    const { name: worker, capacity } = this.#config;
    return { worker, capacity, trial: this.#trial.shards };
  }

  get presence(): Presence {
    const { polls, identities } = this.#config;
    return { ...this.participant, addresses: polls.addresses, given: identities.given() };
  }
}
