import {
  asapScheduler,
  catchError,
  concatMap,
  defer,
  EMPTY,
  filter,
  finalize,
  from,
  map,
  Observable,
  of,
  skipWhile,
  subscribeOn,
  switchMap,
  tap,
  timer,
  type ObservableInput,
  type SchedulerLike,
  type Subscriber,
} from 'rxjs';
import type { ResumableWatch, SharedWatch, WatchSignal } from '../../stream/index.js';
import { Heartbeat } from './heartbeat.js';
import { RelayedLog } from './relayed-log.js';
import { TabInbox } from './tab-inbox.js';
import { TabLead } from './tab-lead.js';
import { tabLock, type TabLock, type TabLocks } from './tab-lock.js';
import { cloneable, withStatus, type Relayed, type TabChannel } from './tab-message.js';
import { TabOutbox, type TabMemory } from './tab-outbox.js';

/** How long a signal of an earlier leader may take to arrive, in ms. */
const LATE_SIGNAL_MS = 50;

/** The settings of a watch that tabs share. */
export interface TabSettings {
  /** The name of the lock and of the channel. */
  readonly name: string;
  readonly scheduler: SchedulerLike;
  readonly browser: TabBrowser;
  /** Called when this tab becomes the leader, and when it is not any more. */
  readonly onLead: (isLeading: boolean) => void;
}

/** The part of a browser that is used. */
export interface TabBrowser {
  readonly locks: TabLocks;
  readonly openChannel: (name: string) => TabChannel;
  readonly isVisible: () => boolean;
}

/**
 * The watch of one tab among those that share it. At first a tab follows, and emits the signals
 * that the leader sends. A tab that gets the lock leads. It polls on from its position, and sends
 * the signals to the others. Each signal has the index before it. So a tab knows which signals it
 * has missed and which it has already, whichever tab sent them. Each subscription continues where
 * the last one stopped.
 */
export function tabWatch<A>(
  watch: ResumableWatch<A>,
  shared: SharedWatch,
  settings: TabSettings,
): Observable<WatchSignal<A>> {
  const { scheduler } = settings;
  const memory: TabMemory<A> = {
    id: String(Math.random()),
    log: new RelayedLog<A>(shared, scheduler.now()),
    heartbeat: new Heartbeat(scheduler),
    epoch: 0,
  };
  return new Observable(subscriber => {
    subscriber.next({ kind: 'status', status: memory.log.status });
    // A subscriber that leaves at once takes no part.
    if (!subscriber.closed) new Tab(watch, settings, memory, subscriber).run();
  });
}

/** A tab that takes part, from its subscription to its end. */
class Tab<A> {
  readonly #watch: ResumableWatch<A>;
  readonly #settings: TabSettings;
  readonly #memory: TabMemory<A>;
  readonly #subscriber: Subscriber<WatchSignal<A>>;
  readonly #channel: TabChannel;
  readonly #outbox: TabOutbox<A>;
  readonly #lead: TabLead<A>;
  readonly #inbox: TabInbox<A>;

  constructor(
    watch: ResumableWatch<A>,
    settings: TabSettings,
    memory: TabMemory<A>,
    subscriber: Subscriber<WatchSignal<A>>,
  ) {
    const { browser, name, scheduler } = settings;
    this.#watch = watch;
    this.#settings = settings;
    this.#memory = memory;
    this.#subscriber = subscriber;
    this.#channel = browser.openChannel(name);
    this.#outbox = new TabOutbox(memory, this.#channel);
    this.#lead = new TabLead(memory, this.#outbox, scheduler);
    this.#inbox = new TabInbox(memory, this.#outbox, this.#lead, scheduler);
  }

  run(): void {
    const subscriber = this.#subscriber;
    subscriber.add(() => this.#outbox.close());
    this.#inbox.open(this.#channel, signal => subscriber.next(signal));
    this.#outbox.ask('hello');
    const signal$ = this.#outbox.isAlone$.pipe(
      switchMap(isAlone => (isAlone ? this.#alone() : this.#together())),
    );
    subscriber.add(signal$.subscribe(subscriber));
  }

  /** Follows until it gets the lock, and leads while it has it. */
  #together(): Observable<WatchSignal<A>> {
    const { browser, name } = this.#settings;
    const { heartbeat } = this.#memory;
    const silent$ = heartbeat.beats$.pipe(
      tap(() => this.#lead.beat()),
      filter(() => !this.#lead.hasLock && heartbeat.isSilent()),
      // It takes some beats to get the lock.
      tap(() => heartbeat.endSilence()),
    );
    return tabLock(browser.locks, name, silent$, browser.isVisible).pipe(
      catchError(() => {
        this.#outbox.beAlone();
        return EMPTY;
      }),
      switchMap(lock => {
        if (lock) return this.#leading(lock);
        // It took no signals of others while it was the leader, or seemed to be.
        this.#outbox.ask('hello');
        return EMPTY;
      }),
    );
  }

  /**
   * The signals that this tab polls while it leads. Each signal is sent to the others before it is
   * emitted.
   */
  #leading(lock: TabLock): Observable<WatchSignal<A>> {
    const { log } = this.#memory;
    const { onLead, scheduler } = this.#settings;
    this.#lead.begin(lock);
    onLead(true);
    const ready$ = lock.isWanted || log.position ? timer(LATE_SIGNAL_MS, scheduler) : of(0);
    return ready$.pipe(
      switchMap(() => {
        this.#lead.beginPolling();
        return this.#resumed();
      }),
      // The others know the status. That another tab polls does not change it.
      skipWhile(signal => signal.kind === 'status' && signal.status.state === 'connecting'),
      concatMap(signal => this.#ifLeading(signal)),
      tap(signal => this.#relay({ since: log.index, signal })),
      // The Observable ends with the watch, although waiting for the lock would go on.
      tap({ complete: () => this.#subscriber.complete() }),
      finalize(() => {
        this.#lead.end();
        onLead(false);
      }),
    );
  }

  /** A signal, if this tab still leads. If it does not, the next leader sends the same. */
  #ifLeading(signal: WatchSignal<A>): ObservableInput<WatchSignal<A>> {
    // Emitted in the same tick, if possible.
    if (this.#lead.isCertain) return [signal];
    return from(this.#lead.confirm()).pipe(
      filter(isLeading => isLeading),
      map(() => signal),
    );
  }

  #relay(relayed: Relayed<A>): void {
    const { epoch, log } = this.#memory;
    const { signal } = relayed;
    // The other tabs may go on although this one cannot.
    const isEnd = signal.kind === 'status' && signal.status.state === 'closed';
    if (!isEnd) this.#outbox.post({ kind: 'signal', epoch, relayed: withStatus(relayed, cloneable) });
    // A tab that has become alone polls again from its position, and gets the signal then.
    if (!this.#outbox.isAlone) log.take([relayed]);
  }

  /** The signals that this tab polls for itself. */
  #alone(): Observable<WatchSignal<A>> {
    const { log } = this.#memory;
    const { onLead } = this.#settings;
    return defer(() => {
      this.#outbox.close();
      onLead(true);
      return this.#resumed();
    }).pipe(
      tap({
        // The tab continues from here when the page comes back.
        next: signal => log.take([{ since: log.index, signal }]),
        complete: () => this.#subscriber.complete(),
        finalize: () => onLead(false),
      }),
      // The message that could not be sent may be the first one of a leader. That has to end
      // before.
      subscribeOn(asapScheduler),
    );
  }

  #resumed(): Observable<WatchSignal<A>> {
    const { position } = this.#memory.log;
    return this.#watch(position ? { from: position } : {});
  }
}
