import { asapScheduler, NEVER, Subscription, takeUntil, type SchedulerLike } from 'rxjs';
import type { Client } from '../../client/index.js';
import { checkArgument, describe, InputError, plainObject } from '../../error/index.js';
import {
  RESERVATION_MS,
  type IdentityEventList,
  type LiveEvent,
  type LobbyJoinEvent,
  type NoOwnEvents,
} from '../../protocol/index.js';
import {
  ageOf,
  idle,
  instant,
  isRealTime,
  monotonicClock,
  type Clocks,
  type EventFeed,
  type Gap,
  type Instant,
  type WatchSignal,
  type WatchStatus,
} from '../../stream/index.js';
import { closed, SharedState, subscribeWhileOpen, type StateObservable } from './state-observable.js';

/** The status of a feed, and the last gap and lobby join that were not dismissed. */
export interface FeedState {
  /** The last gap, until it is dismissed. Data that was loaded before it may be out of date. */
  readonly gap?: Gap;
  /** The last lobby to join, until it is dismissed. */
  readonly lobbyJoin?: LobbyJoinEvent;
  /**
   * When the reservation in that lobby ends, in ms since 1970. That is 120 s after the event came
   * (docs/the-service.md, 3).
   */
  readonly lobbyJoinExpiresAt?: number;
  /**
   * The reservation has ended, and the lobby server refuses the player token. It is set only while
   * the state has subscribers.
   */
  readonly isLobbyJoinExpired?: true;
  readonly status: WatchStatus;
}

/** The state of a feed. */
export interface FeedStateObservable extends StateObservable<FeedState> {
  /**
   * Takes a gap or a lobby join out of the state, since it has been dealt with. If a newer one has
   * replaced it, that one stays. Throws an `InputError` for an object that the feed never emitted,
   * such as a copy.
   */
  dismiss(handled: Gap | LobbyJoinEvent): void;
}

/**
 * How often the age of a lobby join is checked, in ms. A single timer would be late after the
 * machine has slept.
 */
const CHECK_MS = 1_000;

const states = new WeakMap<object, WeakMap<object, FeedStateObservable>>();

/**
 * A feed as a state that components show. By default, it is `client.events.feed`. The state has the
 * gaps and lobby joins from when it was made, so make it where you make the client. Only `dismiss`
 * removes them. A lobby join that is too old to be joined is marked as expired. While the state has
 * subscribers, the feed polls.
 *
 * If the feed cannot go on, the status is `closed`, with an `error`. A subscription then starts
 * nothing. `reload()` starts the feed again.
 *
 * @example
 * feedState(client).subscribe(({ gap, lobbyJoin, status }) =>
 *   render(gap, lobbyJoin, status.state),
 * );
 */
export function feedState<Own extends object = NoOwnEvents>(
  client: Client<Own>,
  ofFeed?: EventFeed<Own>,
): FeedStateObservable {
  checkArgument('client', plainObject, client);
  if (ofFeed !== undefined) checkArgument('feed', plainObject, ofFeed);
  const feed = ofFeed ?? client.events.feed;
  const ofClient = states.get(client) ?? new WeakMap();
  states.set(client, ofClient);
  const state = ofClient.get(feed) ?? new SharedFeed(client, feed);
  ofClient.set(feed, state);
  return state;
}

class SharedFeed<Own extends object> extends SharedState<FeedState> implements FeedStateObservable {
  readonly #client: Client<Own>;
  readonly #feed: EventFeed<Own>;
  readonly #clocks: Clocks;
  readonly #emitted = new WeakSet();
  /** The status of the feed, perhaps not shown yet. */
  #status: WatchStatus | undefined;
  #following = Subscription.EMPTY;
  /** When the event of the lobby join came. */
  #joinedAt: Instant | undefined;
  #checking = Subscription.EMPTY;

  constructor(client: Client<Own>, feed: EventFeed<Own>) {
    super({ status: closed(client.scheduler) }, client);
    this.#client = client;
    this.#feed = feed;
    this.#clocks = { scheduler: client.scheduler, monotonic: monotonicClock(client.scheduler) };
    const closed$ = client.renders ? NEVER : client.closed$;
    feed.signal$.pipe(takeUntil(closed$)).subscribe({
      next: signal => this.#onSignal(signal),
      complete: () => {
        this.complete({ status: closed(client.scheduler) });
        this.end();
      },
    });
  }

  dismiss(handled: Gap | LobbyJoinEvent): void {
    if (!this.#emitted.has(Object(handled) as object)) {
      const rule = 'a gap or lobby join of this feed, not a copy';
      throw new InputError('handled', rule, describe(handled));
    }
    const { gap, ...withoutGap } = this.value;
    const { lobbyJoin, status } = withoutGap;
    if (handled === gap) this.set(withoutGap);
    else if (handled === lobbyJoin) this.set({ ...(gap && { gap }), status });
  }

  reload(): void {
    if (this.value.status.state !== 'closed') this.#client.wake();
    else if (this.isWanted) this.#follow();
    else this.set({ ...this.value, status: idle(this.#client.scheduler.now()) });
  }

  protected begin(): void {
    this.#checkAge();
    if (this.value.status.state !== 'closed') this.#follow();
  }

  protected end(): void {
    this.#following.unsubscribe();
    this.#checking.unsubscribe();
  }

  #onSignal(signal: WatchSignal<IdentityEventList<Own>>): void {
    if (signal.kind === 'status') this.#onStatus(signal.status);
    else if (signal.kind === 'gap') this.#onGap(signal.gap);
    else if (signal.kind === 'answer') this.#onEvents(signal.answer.events);
  }

  #onEvents(events: readonly LiveEvent<Own>[]): void {
    for (const event of events) {
      if (event.kind === 'matchmaker_lobby_join') this.#onLobbyJoin(event as LobbyJoinEvent);
    }
  }

  #onGap(gap: Gap): void {
    this.#emitted.add(gap);
    this.set({ ...this.value, gap });
  }

  #onLobbyJoin(lobbyJoin: LobbyJoinEvent): void {
    this.#joinedAt = instant(this.#clocks);
    const { gap, status } = this.value;
    this.#emitted.add(lobbyJoin);
    const lobbyJoinExpiresAt = this.#joinedAt.at + RESERVATION_MS;
    this.set({ ...(gap && { gap }), lobbyJoin, lobbyJoinExpiresAt, status });
    if (this.isWanted) this.#checkAge();
  }

  /** Checks whether the lobby join is too old, now and every second until it is. */
  #checkAge(): void {
    this.#checking.unsubscribe();
    const { lobbyJoin, isLobbyJoinExpired } = this.value;
    if (!lobbyJoin || isLobbyJoinExpired || !this.#joinedAt) return;
    if (ageOf(this.#joinedAt, instant(this.#clocks)) >= RESERVATION_MS)
      this.set({ ...this.value, isLobbyJoinExpired: true });
    else this.#checking = this.#clocks.scheduler.schedule(() => this.#checkAge(), CHECK_MS);
  }

  #onStatus(status: WatchStatus): void {
    this.#status = status;
    // Shown when the feed has ended, so that a subscriber can begin it again in response.
    if (status.state === 'closed' && !this.#following.closed) return;
    this.set({ ...this.value, status });
    if (status.state !== 'closed' && this.isWanted && this.#following.closed) this.#follow();
  }

  /**
   * Subscribes to the feed a tick later, so that handlers of the same tick get the events that it
   * has queued.
   */
  #follow(): void {
    this.#following.unsubscribe();
    this.#following = new Subscription();
    const following = this.#following;
    const ended = () => {
      following.unsubscribe();
      if (this.#status) this.#onStatus(this.#status);
    };
    const follow = () =>
      subscribeWhileOpen(following, this.#feed.all$, {
        next: () => undefined,
        error: ended,
        complete: ended,
      });
    following.add(tickOf(this.#client.scheduler).schedule(follow));
  }
}

/** In a hidden page, a timer may take a minute. */
function tickOf(scheduler: SchedulerLike): SchedulerLike {
  return isRealTime(scheduler) ? asapScheduler : scheduler;
}
