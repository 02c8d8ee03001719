import { defer, tap, type Observable, type SchedulerLike } from 'rxjs';
import { createClient, ramp, type ClientConfig } from '../../client/index.js';
import { rawEventsWatch } from '../../endpoint/index.js';
import type { Transport } from '../../transport/index.js';
import type { FleetEvent } from '../fleet-event.js';
import type { WatchIdentity } from './held-shard.js';
import { RequestBudget } from './request-budget.js';
import { shardOf } from './assign-shards.js';
import { storedWatch, type StoredWatchConfig, type StoredWatchEvent } from './stored-watch.js';

/** How a worker polls identities. */
export interface IdentityPollsConfig extends Pick<StoredWatchConfig, 'log' | 'newKey' | 'random'> {
  readonly client: (identity_id: string) => ClientConfig;
  /** One for each address that polls are sent from. */
  readonly transports: readonly Transport[];
  /** From each address. */
  readonly requestsPerMinute: number;
  /** How many watches to start in a second. */
  readonly perSecond: number;
  readonly tell: (event: FleetEvent) => void;
  readonly scheduler: SchedulerLike;
}

/** The polls of a worker: each identity is polled from one of its addresses, within the budget of that address. */
export class IdentityPolls {
  readonly #config: IdentityPollsConfig;
  readonly #addresses: readonly { readonly transport: Transport; readonly budget: RequestBudget }[];
  readonly #start: <T>(source$: Observable<T>) => Observable<T>;

  constructor(config: IdentityPollsConfig) {
    const { transports, requestsPerMinute, perSecond, tell, scheduler } = config;
    this.#config = config;
    this.#start = ramp({ perSecond, scheduler });
    this.#addresses = transports.map(transport => ({
      transport,
      budget: new RequestBudget(requestsPerMinute, scheduler, tell),
    }));
  }

  /** Tells if polls have to wait, or need not any more. Returns how many do. */
  check(): number {
    for (const { budget } of this.#addresses) budget.check();
    return this.#addresses.reduce((sum, { budget }) => sum + budget.waiting, 0);
  }

  /** Follows one identity. */
  readonly watch: WatchIdentity = (identity_id, held) =>
    defer((): Observable<StoredWatchEvent> => {
      const { client, log, newKey, random, scheduler } = this.#config;
      const { transport, budget } = this.#addresses[shardOf(identity_id, this.#addresses.length)]!;
      const config: ClientConfig = { transport, scheduler, random, ...client(identity_id) };
      const own = createClient(config);
      const { response } = rawEventsWatch;
      const endpoint = { ...rawEventsWatch, ...config.endpoints?.eventsWatch, response };
      const permit = () => budget.permit();
      return storedWatch({
        ...{ ...held, identity_id, log, newKey, random, scheduler },
        watch: options => own.watchSignals(endpoint, {}, { ...options, permit }),
      }).pipe(
        tap(event => {
          if (event.kind === 'status') budget.slowDownFor(event.status);
        }),
      );
    }).pipe(this.#start);
}
