import { concatMap, EMPTY, filter, finalize, from, Observable, of, switchMap, tap, timer } from 'rxjs';
import {
  connecting,
  type Checkpoint,
  type ResumableWatch,
  type SharedWatch,
  type WatchSignal,
  type WatchStatus,
} from '../stream/index.js';
import { Heartbeat } from './heartbeat.js';
import { tabLock, type TabLock } from './tab-lock.js';
import type { TabChannel, TabSettings } from './tab-settings.js';
import { cloneable, revived, type Relayed, type TabMessage } from './tab-message.js';
import { RelayedLog } from './relayed-log.js';

/** How long a signal of an earlier leader may take to arrive, in ms. */
const SETTLE = 50;

/**
 * One tab among those that share a watch. It follows: it takes what the leader tells. When it gets the lock it leads: it polls on
 * from where it is, and tells the others. Each signal names the index that it follows, so that every tab notices what it has
 * missed and what it has already, from whichever tab it comes.
 */
export class TabMember<A> {
  readonly #watch: ResumableWatch<A>;
  readonly #settings: TabSettings;
  readonly #log: RelayedLog<A>;
  readonly #heartbeat: Heartbeat;
  readonly #id = String(Math.random());
  #channel: TabChannel | undefined;
  #status: WatchStatus;
  /** The number of the newest leader: each has a greater one than those before. */
  #epoch = 0;
  /** While this tab has the lock, as far as it knows: its number, and whether it still has it. */
  #lead: { readonly epoch: number; readonly isHeld: () => Promise<boolean> } | undefined;
  /** It leads, but does not poll yet: it may still learn where to poll from. */
  #isSettling = false;

  constructor(watch: ResumableWatch<A>, shared: SharedWatch, settings: TabSettings) {
    this.#watch = watch;
    this.#settings = settings;
    this.#log = new RelayedLog(shared);
    this.#heartbeat = new Heartbeat(settings.scheduler);
    this.#status = connecting(settings.scheduler.now());
  }

  /** Takes part until it is unsubscribed from; the next time it continues from where it was. */
  takePart(): Observable<WatchSignal<A>> {
    const { name, browser } = this.#settings;
    return new Observable(subscriber => {
      const channel = browser.openChannel(name);
      this.#channel = channel;
      subscriber.add(() => {
        channel.close();
        // No tab is left to hear the rest.
        if (this.#channel === channel) this.#channel = undefined;
      });
      channel.onmessage = ({ data }) => {
        for (const signal of this.#hear(data as TabMessage<A>)) subscriber.next(signal);
      };
      subscriber.next({ kind: 'status', status: this.#status });
      // One that leaves at once takes no part.
      if (subscriber.closed) return;
      this.#askForMissed();

      const silent$ = this.#heartbeat.beats$.pipe(
        tap(() => {
          if (this.#lead)
            this.#post({ kind: 'beat', epoch: this.#lead.epoch, index: this.#log.position?.index });
        }),
        filter(() => !this.#lead && this.#heartbeat.isSilent()),
        // It takes some beats to get the lock.
        tap(() => this.#heartbeat.hear()),
      );
      const led$ = tabLock(browser.locks, name, silent$, browser.isVisible).pipe(
        switchMap(lock => {
          // It ends with the watch, although the waiting for locks would not.
          if (lock) return this.#polled(lock).pipe(tap({ complete: () => subscriber.complete() }));
          // It took nothing from others while it was the leader, or seemed to be.
          this.#askForMissed();
          return EMPTY;
        }),
      );
      subscriber.add(led$.subscribe(subscriber));
    });
  }

  /** The leader's own watch. Each signal is sent to the others before it is emitted. */
  #polled({ isWanted, isHeld }: TabLock): Observable<WatchSignal<A>> {
    const { scheduler, onLead } = this.#settings;
    this.#heartbeat.settleDoubt();
    this.#isSettling = true;
    // A tab that has just come does not know how many leaders there have been.
    this.#claim(Math.max(this.#epoch + 1, scheduler.now()), isHeld);
    onLead(true);
    return (isWanted || this.#log.position ? timer(SETTLE, scheduler) : of(0)).pipe(
      switchMap(() => {
        this.#isSettling = false;
        return this.#watch(this.#log.position ? { from: this.#log.position } : {});
      }),
      // Everybody knows the status so far, which is no worse because someone else polls.
      filter(signal => signal.kind !== 'status' || signal.status.state !== 'connecting'),
      // Otherwise the next leader tells the same.
      concatMap(signal =>
        this.#isSure() ? [signal] : from(this.#leads()).pipe(concatMap(leads => (leads ? [signal] : EMPTY))),
      ),
      tap(signal => {
        const after = this.#log.position?.index;
        const cloned = signal.kind === 'status' ? { ...signal, status: cloneable(signal.status) } : signal;
        // That this tab cannot go on says nothing of the others.
        const isOwn = signal.kind === 'status' && signal.status.state === 'closed';
        if (!isOwn) this.#post({ kind: 'signal', epoch: this.#epoch, relayed: { after, signal: cloned } });
        this.#take({ after, signal });
      }),
      finalize(() => {
        this.#lead = undefined;
        onLead(false);
      }),
    );
  }

  /** Whether it is the leader beyond doubt: no newer one was heard of, and none can have been missed. */
  #isSure(): boolean {
    return this.#lead?.epoch === this.#epoch && !this.#heartbeat.hasStoodStill();
  }

  /** Whether it is the leader. The tab that has the lock is, whatever number another one had when the clock was ahead. */
  async #leads(): Promise<boolean> {
    const lead = this.#lead;
    if (!lead || this.#isSure()) return lead !== undefined;
    const { isHeld } = lead;
    // It may have claimed the lead again meanwhile, but not have got another lock.
    if (!(await isHeld()) || this.#lead?.isHeld !== isHeld) return false;
    this.#heartbeat.settleDoubt();
    if (this.#lead.epoch < this.#epoch) this.#claim(this.#epoch + 1, isHeld);
    return true;
  }

  #claim(epoch: number, isHeld: () => Promise<boolean>): void {
    this.#epoch = epoch;
    this.#lead = { epoch, isHeld };
    this.#post({ kind: 'claim', by: this.#id, epoch, position: this.#log.position });
  }

  #askForMissed(): void {
    this.#post({ kind: 'hello', by: this.#id, epoch: this.#epoch, position: this.#log.position });
  }

  #post(message: TabMessage<A>): void {
    this.#channel?.postMessage(message);
  }

  /** The signals that follow from a message. */
  #hear(message: TabMessage<A>): readonly WatchSignal<A>[] {
    const isOlder = message.epoch < this.#epoch;
    this.#epoch = Math.max(this.#epoch, message.epoch);
    if (this.#lead) return this.#hearAsLeader(message);
    if (message.kind === 'hello') return [];
    if (message.kind === 'claim' && (isOlder || this.#knowsMoreThan(message.position))) this.#reply(message);
    if (isOlder) return [];
    this.#heartbeat.hear();
    if (message.kind === 'signal') return this.#hearSignal(message.relayed);
    // What came before it has been missed.
    if (message.kind === 'beat' && message.index !== this.#log.position?.index) this.#askForMissed();
    return message.kind === 'reply' && message.to === this.#id ? this.#hearReply(message) : [];
  }

  #hearAsLeader(message: TabMessage<A>): readonly WatchSignal<A>[] {
    if (message.kind === 'reply') {
      if (message.to !== this.#id || !this.#isSettling || this.#log.isState) return [];
      const signals = this.#takeNext(message.missed ?? []);
      if (!this.#log.position && message.position) this.#log.skipTo(message.position);
      return signals;
    }
    void this.#leads().then(leads => {
      if (leads && message.kind === 'hello') this.#reply(message);
    });
    return [];
  }

  /** Whether a new leader that polls from there would leave something out for the others. */
  #knowsMoreThan(position: Checkpoint | undefined): boolean {
    if (this.#log.isState) return false;
    if (!position) return this.#log.position !== undefined;
    return (this.#log.since(position)?.length ?? 0) > 0;
  }

  #hearSignal(relayed: Relayed<A>): readonly WatchSignal<A>[] {
    const { signal } = relayed;
    if (signal.kind === 'status')
      return [this.#take({ ...relayed, signal: { kind: 'status', status: revived(signal.status) } })];
    const place = this.#log.place(relayed);
    if (place === 'later') this.#askForMissed();
    return place === 'next' ? [this.#take(relayed)] : [];
  }

  /** Sends a tab that has said hello, or has claimed the lead, what it has missed. */
  #reply({ by, position: theirs }: Extract<TabMessage<A>, { kind: 'hello' | 'claim' }>): void {
    const { position } = this.#log;
    const missed = this.#log.since(theirs);
    const status = cloneable(this.#status);
    this.#post({ kind: 'reply', to: by, epoch: this.#epoch, after: theirs?.index, position, status, missed });
  }

  #hearReply({
    after,
    position,
    status,
    missed,
  }: Extract<TabMessage<A>, { kind: 'reply' }>): readonly WatchSignal<A>[] {
    const current = this.#take({ after: undefined, signal: { kind: 'status', status: revived(status) } });
    // It has received more since it asked.
    if (after !== this.#log.position?.index) return [current];
    if (missed) {
      const signals = this.#takeNext(missed);
      if (!this.#log.position && position) this.#log.skipTo(position);
      return [current, ...signals];
    }
    const at = this.#settings.scheduler.now();
    const index = this.#log.position?.index;
    this.#log.skipTo(position);
    return [current, { kind: 'gap', gap: { reason: 'unwatched', at, index } }];
  }

  #takeNext(all: readonly Relayed<A>[]): readonly WatchSignal<A>[] {
    return all.flatMap(relayed => (this.#log.place(relayed) === 'next' ? [this.#take(relayed)] : []));
  }

  #take(relayed: Relayed<A>): WatchSignal<A> {
    const { signal } = relayed;
    if (signal.kind === 'status') this.#status = signal.status;
    else this.#log.add(relayed);
    return signal;
  }
}
