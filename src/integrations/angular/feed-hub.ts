import { computed, signal, untracked, type WritableSignal } from '@angular/core';
import { asapScheduler, Observable, Subject, Subscription, takeUntil, type SchedulerLike } from 'rxjs';
import type { LiveEvent, NoOwnEvents, Profile } from '../../protocol/index.js';
import { connecting, isRealTime, type EventFeed, type Gap, type WatchStatus } from '../../stream/index.js';
import type { AppLife } from './app-life.js';

/** What a hub needs. */
interface FeedHubConfig {
  readonly feed: EventFeed;
  readonly life: AppLife;
  readonly scheduler: SchedulerLike;
  readonly wake$: Subject<void>;
  readonly isServer: boolean;
}

/** The maximum number of profiles that are kept. */
const MAX_PROFILES = 1_000;

/**
 * Follows the feed once for everything in an injector. It begins a moment after its events are first wanted, so that whatever a component
 * sets up gets what the feed has held for it, and not only what is set up first. On a server it never begins.
 */
export class FeedHub {
  readonly #config: FeedHubConfig;
  readonly #event$ = new Subject<LiveEvent>();
  /** The status of the feed. It has the error with which a feed ends. */
  readonly status: WritableSignal<WatchStatus>;
  readonly gap = signal<Gap | undefined>(undefined);
  readonly #profiles = new Map<string, Profile>();
  /** How many profiles have come. */
  readonly #profileCount = signal(0);
  /** The last profiles, which are copied only for a reader. */
  readonly profiles = computed((): ReadonlyMap<string, Profile> => {
    this.#profileCount();
    return new Map(this.#profiles);
  });
  #followers = 0;
  #following = Subscription.EMPTY;

  constructor(config: FeedHubConfig) {
    this.#config = config;
    this.status = signal(connecting(config.scheduler.now()));
    config.life.outside(config.feed.gap$).subscribe(gap => this.gap.set(gap));
  }

  /** The events. It never ends: if the feed does, it goes on when the feed is followed again. */
  event$<Own extends object = NoOwnEvents>(): Observable<LiveEvent<Own>> {
    return new Observable<LiveEvent>(subscriber => {
      subscriber.add(this.#event$.subscribe(subscriber));
      this.#followers++;
      if (this.#following.closed) this.#restart();
      subscriber.add(() => {
        if (--this.#followers === 0) this.#following.unsubscribe();
      });
    });
  }

  /** Polls soon: a feed that is retrying does not wait any longer, and one that has ended is followed again. */
  reload(): void {
    if (untracked(this.status).state === 'closed') this.#restart();
    else this.#config.wake$.next();
  }

  /** Follows the feed again, if its events are wanted. */
  #restart(): void {
    const { feed, life, scheduler, isServer } = this.#config;
    this.#following.unsubscribe();
    if (isServer || this.#followers === 0) return;
    const following = new Subscription();
    this.#following = following;
    const stopped$ = new Subject<void>();
    following.add(() => stopped$.next());
    const follow = () => {
      following.add(life.outside(feed.status$).subscribe(status => this.status.set(status)));
      // What was held comes at once. A subscriber that leaves with a part of it leaves the rest to the next one.
      life.outside(feed.all$.pipe(takeUntil(stopped$))).subscribe({
        next: event => {
          if (event.kind === 'identity_update') {
            keepProfile(this.#profiles, event.identity, MAX_PROFILES);
            this.#profileCount.update(count => count + 1);
          }
          this.#event$.next(event);
        },
        // The status has said so before.
        error: () => this.#following.unsubscribe(),
      });
    };
    // In a hidden page, a timer may take a minute.
    following.add((isRealTime(scheduler) ? asapScheduler : scheduler).schedule(follow));
  }
}

/** Adds a profile to a map of the latest ones. The least recently updated one is dropped if there are more than `max`. */
function keepProfile(profiles: Map<string, Profile>, profile: Profile, max: number): void {
  // Deleted first, so that it moves to the end of the map's order.
  profiles.delete(profile.identity_id);
  profiles.set(profile.identity_id, profile);
  const [oldest] = profiles.keys();
  if (profiles.size > max && oldest !== undefined) profiles.delete(oldest);
}
