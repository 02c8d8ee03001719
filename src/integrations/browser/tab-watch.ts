import {
  asapScheduler,
  catchError,
  concatMap,
  defer,
  EMPTY,
  filter,
  finalize,
  from,
  Observable,
  of,
  skipWhile,
  subscribeOn,
  switchMap,
  tap,
  timer,
  type SchedulerLike,
  type Subscriber,
} from 'rxjs';
import type { ResumableWatch, SharedWatch, WatchSignal } from '../../stream/index.js';
import { Heartbeat } from './heartbeat.js';
import { RelayedLog } from './relayed-log.js';
import { tabLock, type TabLock, type TabLocks } from './tab-lock.js';
import { cloneable, withStatus, type Relayed, type TabChannel } from './tab-message.js';
import { TabTalk, type TabMemory } from './tab-talk.js';

/** How long a signal of an earlier leader may take to arrive, in ms. */
const SETTLE_MS = 50;

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
  readonly #talk: TabTalk<A>;

  constructor(
    readonly watch: ResumableWatch<A>,
    readonly settings: TabSettings,
    readonly memory: TabMemory<A>,
    readonly subscriber: Subscriber<WatchSignal<A>>,
  ) {
    const channel = settings.browser.openChannel(settings.name);
    this.#talk = new TabTalk(memory, channel, settings.scheduler, signal => subscriber.next(signal));
    subscriber.add(() => this.#talk.close());
  }

  run(): void {
    const { subscriber } = this;
    this.#talk.ask('hello');
    const taking$ = this.#talk.isAlone$.pipe(
      switchMap(isAlone => (isAlone ? this.#alone() : this.#together())),
    );
    subscriber.add(taking$.subscribe(subscriber));
  }

  /** Follows until it gets the lock, and leads while it has it. */
  #together(): Observable<WatchSignal<A>> {
    const { browser, name } = this.settings;
    const { heartbeat } = this.memory;
    const silent$ = heartbeat.beats$.pipe(
      tap(() => this.#talk.beat()),
      filter(() => !this.#talk.hasLead && heartbeat.isSilent()),
      // It takes some beats to get the lock.
      tap(() => heartbeat.hear()),
    );
    return tabLock(browser.locks, name, silent$, browser.isVisible).pipe(
      catchError(() => {
        this.#talk.beAlone();
        return EMPTY;
      }),
      switchMap(lock => {
        if (lock) return this.#led(lock);
        // It took no signals of others while it was the leader, or seemed to be.
        this.#talk.ask('hello');
        return EMPTY;
      }),
    );
  }

  /**
   * The signals that this tab polls while it leads. Each signal is sent to the others before it is
   * emitted.
   */
  #led({ isWanted, isHeld }: TabLock): Observable<WatchSignal<A>> {
    const { log } = this.memory;
    const { onLead, scheduler } = this.settings;
    this.#talk.beginLead(isHeld);
    onLead(true);
    return (isWanted || log.position ? timer(SETTLE_MS, scheduler) : of(0)).pipe(
      switchMap(() => {
        this.#talk.settleLead();
        return this.#resumed();
      }),
      // The others know the status. That another tab polls does not change it.
      skipWhile(signal => signal.kind === 'status' && signal.status.state === 'connecting'),
      // If it does not lead any more, the next leader sends the same.
      concatMap(signal =>
        this.#talk.isSure()
          ? [signal]
          : from(this.#talk.leads()).pipe(concatMap(isLeading => (isLeading ? [signal] : EMPTY))),
      ),
      tap(signal => this.#relay({ since: log.index, signal })),
      // The Observable ends with the watch, although waiting for the lock would go on.
      tap({ complete: () => this.subscriber.complete() }),
      finalize(() => {
        this.#talk.endLead();
        onLead(false);
      }),
    );
  }

  #relay(relayed: Relayed<A>): void {
    const { epoch, log } = this.memory;
    const { signal } = relayed;
    // The other tabs may go on although this one cannot.
    const isEnd = signal.kind === 'status' && signal.status.state === 'closed';
    if (!isEnd) this.#talk.post({ kind: 'signal', epoch, relayed: withStatus(relayed, cloneable) });
    // A tab that has become alone polls again from its position, and gets the signal then.
    if (!this.#talk.isAlone) log.take([relayed]);
  }

  #alone(): Observable<WatchSignal<A>> {
    const { log } = this.memory;
    const { onLead } = this.settings;
    return defer(() => {
      this.#talk.channel.close();
      onLead(true);
      return this.#resumed();
    }).pipe(
      tap({
        // The tab continues from here when the page comes back.
        next: signal => log.take([{ since: log.index, signal }]),
        complete: () => this.subscriber.complete(),
        finalize: () => onLead(false),
      }),
      // The message that could not be sent may be the first one of a leader. That has to end
      // before.
      subscribeOn(asapScheduler),
    );
  }

  #resumed(): Observable<WatchSignal<A>> {
    const { position } = this.memory.log;
    return this.watch(position ? { from: position } : {});
  }
}
