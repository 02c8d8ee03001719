import { Subscription, timer, type Observable } from 'rxjs';
import { ROSTER_DEFAULTS, type Client, type Roster } from '../../client/index.js';
import {
  aFunction,
  checkArgument,
  checkOptions,
  definedOptions,
  milliseconds,
  plainObject,
  positiveInteger,
  type Options,
} from '../../error/index.js';
import type { GroupMember, MalformedMember } from '../../protocol/index.js';
import {
  connecting,
  idle,
  type WatchSharing,
  type WatchSignal,
  type WatchStatus,
} from '../../stream/index.js';
import { closed, SharedState, subscribeWhileOpen, type StateObservable } from './state-observable.js';

/** The members of a group, and the status of its watch. */
export interface RosterState {
  /**
   * All members, by `identity_id`. `undefined` until they are known, and while nothing shows the
   * group. A member that has not changed is the same object as before.
   */
  readonly members?: ReadonlyMap<string, GroupMember>;
  /**
   * Members that failed to decode. Absent if all were decoded. A member that was known before stays
   * in `members`, as last seen.
   */
  readonly malformed?: readonly MalformedMember[];
  readonly status: WatchStatus;
}

/** The options of {@link rosterState}. */
export interface RosterStateConfig {
  /** The number of members per page. Default 1,000. */
  readonly count?: number;
  /** How often the pages after the first one are refreshed, in ms. Default 60,000. */
  readonly refreshInterval?: number;
  /**
   * Shares the watch with other tabs. Make it once, since another `acrossTabs()` is another state.
   */
  readonly share?: WatchSharing;
}

const OPTIONS: Options<RosterStateConfig> = {
  count: positiveInteger,
  refreshInterval: milliseconds,
  share: aFunction,
};

/** A client with any kinds of events. */
type AnyClient = Pick<Client<never>, 'closed$' | 'scheduler' | 'linger' | 'renders' | 'wake' | 'group'>;

type StatesByOptions = Map<string, WeakRef<SharedGroup>>;

/**
 * The states of a client's groups, by the `share` of their watch or else the client, and by their
 * other options. A state is kept only while something refers to it.
 */
const states = new WeakMap<object, WeakMap<object, StatesByOptions>>();

/**
 * A group as a state that components show. The same group with the same options is the same state.
 * It is `idle`, without members, before its first subscriber and once the last one has been gone
 * for the client's `linger`. `roster()` also has who joined and left.
 *
 * If the watch cannot go on, the status is `closed`, with an `error`, and the members stay. A
 * subscription then starts nothing. `reload()` watches again.
 *
 * Throws an `InputError` if an option is unknown or invalid.
 *
 * @example
 * rosterState(client, group_id).subscribe(({ members, status }) =>
 *   render(members?.size ?? status.state),
 * );
 */
export function rosterState<Own extends object>(
  client: Client<Own>,
  group_id: string,
  config: RosterStateConfig = {},
): StateObservable<RosterState> {
  checkArgument('client', plainObject, client);
  checkOptions(config, OPTIONS);
  const { count, refreshInterval, share = client } = { ...ROSTER_DEFAULTS, ...definedOptions(config) };
  const ofClient = states.get(client) ?? new WeakMap<object, StatesByOptions>();
  states.set(client, ofClient);
  const known = ofClient.get(share) ?? new Map<string, WeakRef<SharedGroup>>();
  ofClient.set(share, known);
  const key = JSON.stringify([group_id, count, refreshInterval]);
  const before = known.get(key)?.deref();
  if (before) return before;
  const state = new SharedGroup(client, group_id, config);
  known.set(key, new WeakRef(state));
  // Cleaned up at every 64th. React Native has no FinalizationRegistry.
  if (known.size % 64 === 0) {
    for (const [other, ref] of known) {
      if (!ref.deref()) known.delete(other);
    }
  }
  return state;
}

class SharedGroup extends SharedState<RosterState> {
  readonly #client: AnyClient;
  readonly #signal$: Observable<WatchSignal<Roster>>;
  #watching = Subscription.EMPTY;
  #lingering = Subscription.EMPTY;
  #untilClosed = Subscription.EMPTY;

  constructor(client: AnyClient, group_id: string, config: RosterStateConfig) {
    super({ status: idle(client.scheduler.now()) }, client);
    this.#client = client;
    this.#signal$ = client.group.rosterSignals(group_id, config);
  }

  reload(): void {
    if (this.value.status.state !== 'closed') this.#client.wake();
    else if (this.isWanted) this.#watch();
    else this.#forget();
  }

  protected begin(): void {
    this.#lingering.unsubscribe();
    if (this.value.status.state !== 'idle') return;
    const { closed$, scheduler } = this.#client;
    this.#untilClosed = closed$.subscribe(() => {
      this.#stop();
      this.complete({ status: closed(scheduler) });
    });
    if (!this.#untilClosed.closed) this.#watch();
  }

  protected end(): void {
    const { linger, scheduler } = this.#client;
    if (linger === 0) this.#forget();
    else this.#lingering = timer(linger, scheduler).subscribe(() => this.#forget());
  }

  #stop(): void {
    this.#watching.unsubscribe();
    this.#lingering.unsubscribe();
    this.#untilClosed.unsubscribe();
  }

  #forget(): void {
    this.#stop();
    this.set({ status: idle(this.#client.scheduler.now()) });
  }

  #watch(): void {
    this.#watching.unsubscribe();
    this.#watching = new Subscription();
    const watching = this.#watching;
    const { scheduler } = this.#client;
    const before = this.value.status;
    const atFirst = connecting(scheduler.now());
    let latest = atFirst;
    const show = (status: WatchStatus) => this.set({ ...this.value, status });
    // Shown when the watch has ended, so that a subscriber can begin another one in response.
    const ended = (error?: unknown) => show(latest.state === 'closed' ? latest : closed(scheduler, error));
    subscribeWhileOpen(watching, this.#signal$, {
      next: signal => {
        if (signal.kind === 'status') {
          latest = signal.status;
          // Another tab may be live before it sends its members.
          const isTooEarly = latest.state === 'live' && !this.value.members;
          if (!isTooEarly && latest.state !== 'closed' && latest !== this.value.status) show(latest);
        } else if (signal.kind === 'answer') {
          const { members, malformed } = signal.answer;
          this.set({ status: signal.status ?? latest, members, ...(malformed && { malformed }) });
        }
      },
      error: ended,
      complete: ended,
    });
    // A watch that is shared may have emitted nothing yet.
    if (!watching.closed && this.value.status === before) show(atFirst);
  }
}
