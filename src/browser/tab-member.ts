import {
  concatMap,
  EMPTY,
  filter,
  finalize,
  from,
  Observable,
  of,
  switchMap,
  tap,
  timer,
  type SchedulerLike,
} from 'rxjs';
import type { ResumableWatch, SharedWatch, WatchSignal, WatchStatus } from '../stream/index.js';
import { Heartbeat } from './heartbeat.js';
import { tabLock, type TabLock, type TabLocks } from './tab-lock.js';
import { cloneable, revived, type TabMessage, type Told } from './tab-message.js';
import { ToldLog } from './told-log.js';

/** What the tabs that share a watch have in common. */
export interface TabSettings {
  /** Of the lock and of the channel. */
  readonly name: string;
  readonly heartbeat: number;
  readonly scheduler: SchedulerLike;
  readonly browser: TabBrowser;
  /** Called when this tab becomes the leader, and when it is not any more. */
  readonly onLead: (isLeading: boolean) => void;
}

/** What is needed of a browser. */
export interface TabBrowser {
  readonly locks: TabLocks;
  readonly openChannel: (name: string) => TabChannel;
  readonly isVisible: () => boolean;
}

/** The part of a BroadcastChannel that is used. */
export interface TabChannel {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}

/** How long what an earlier leader has told may take to arrive, in ms. */
const SETTLE = 50;

/**
 * One tab among those that share a watch. It follows: it takes what the leader tells. When it gets the lock it leads: it polls on
 * from where it is, and tells the others. Each signal names the index that it follows, so that every tab notices what it has
 * missed and what it has already, whoever tells it.
 */
export class TabMember<A> {
  readonly #watch: ResumableWatch<A>;
  readonly #settings: TabSettings;
  readonly #log: ToldLog<A>;
  readonly #heartbeat: Heartbeat;
  readonly #id = String(Math.random());
  #channel: TabChannel | undefined;
  #status: WatchStatus;
  /** The number of the newest leader: each has a greater one than those before. */
  #epoch = 0;
  /** The number that this tab had when it became the leader; undefined while it is not. */
  #ownEpoch: number | undefined;

  constructor(watch: ResumableWatch<A>, shared: SharedWatch, settings: TabSettings) {
    this.#watch = watch;
    this.#settings = settings;
    this.#log = new ToldLog(shared);
    this.#heartbeat = new Heartbeat(settings.heartbeat, settings.scheduler);
    this.#status = {
      ...{ state: 'connecting', since: settings.scheduler.now(), lastAnswer: shared.from?.at, attempt: 0 },
      ...{ nextTry: undefined, error: undefined, hint: undefined },
    };
  }

  /** Takes part until it is unsubscribed from; the next time it continues from where it was. */
  takePart(): Observable<WatchSignal<A>> {
    const { name, browser } = this.#settings;
    return new Observable(subscriber => {
      const channel = browser.openChannel(name);
      this.#channel = channel;
      subscriber.add(() => channel.close());
      channel.onmessage = ({ data }) => {
        for (const signal of this.#hear(data as TabMessage<A>)) subscriber.next(signal);
      };
      subscriber.next({ kind: 'status', status: this.#status });
      this.#sayHello();

      const silent$ = this.#heartbeat.beats$.pipe(
        tap(() => {
          if (this.#ownEpoch !== undefined) this.#post({ kind: 'beat', epoch: this.#ownEpoch });
        }),
        filter(() => this.#ownEpoch === undefined && this.#heartbeat.isSilent() && browser.isVisible()),
      );
      const led$ = tabLock(browser.locks, name, silent$).pipe(
        switchMap(lock =>
          // It ends with the watch, although the waiting for locks would not.
          lock ? this.#lead(lock).pipe(tap({ complete: () => subscriber.complete() })) : EMPTY,
        ),
      );
      subscriber.add(led$.subscribe(subscriber));
    });
  }

  /** Polls, and tells the others each signal before it is emitted. */
  #lead({ isWanted, isHeld }: TabLock): Observable<WatchSignal<A>> {
    const { scheduler, onLead } = this.#settings;
    // A tab that has just come does not know how many leaders there have been.
    this.#claim(Math.max(this.#epoch + 1, scheduler.now()));
    onLead(true);
    return (isWanted || this.#log.position ? timer(SETTLE, scheduler) : of(0)).pipe(
      switchMap(() => this.#watch(this.#log.position ? { from: this.#log.position } : {})),
      // Everybody knows the status so far, which is no worse because someone else polls.
      filter(signal => signal.kind !== 'status' || signal.status.state !== 'connecting'),
      // Whoever stood still may have lost the lock, and the next leader may have told the same.
      concatMap(signal =>
        this.#heartbeat.hasStoodStill()
          ? from(isHeld()).pipe(concatMap(is => (is ? [signal] : EMPTY)))
          : [signal],
      ),
      filter(() => this.#ownEpoch === this.#epoch),
      tap(signal => {
        const after = this.#log.position?.index;
        const told = signal.kind === 'status' ? { ...signal, status: cloneable(signal.status) } : signal;
        this.#post({ kind: 'told', epoch: this.#epoch, told: { after, signal: told } });
        this.#take({ after, signal });
      }),
      finalize(() => {
        this.#ownEpoch = undefined;
        onLead(false);
      }),
    );
  }

  #claim(epoch: number): void {
    this.#epoch = epoch;
    this.#ownEpoch = epoch;
    this.#post({ kind: 'claim', by: this.#id, epoch, position: this.#log.position });
  }

  #sayHello(): void {
    this.#post({ kind: 'hello', by: this.#id, position: this.#log.position, epoch: this.#epoch });
  }

  #post(message: TabMessage<A>): void {
    this.#channel?.postMessage(message);
  }

  /** The signals that follow from a message. */
  #hear(message: TabMessage<A>): readonly WatchSignal<A>[] {
    switch (message.kind) {
      case 'hello':
        this.#hearHello(message);
        return [];
      case 'claim':
        this.#hearClaim(message);
        return [];
      case 'reply':
        return message.to === this.#id ? this.#hearReply(message) : [];
      case 'beat':
        this.#isFromLeader(message.epoch);
        return [];
      case 'told':
        return this.#isFromLeader(message.epoch) ? this.#hearSignal(message.told) : [];
    }
  }

  #isFromLeader(epoch: number): boolean {
    if (epoch < this.#epoch) return false;
    this.#epoch = epoch;
    this.#heartbeat.hear();
    return true;
  }

  #hearSignal(told: Told<A>): readonly WatchSignal<A>[] {
    const { signal } = told;
    if (signal.kind === 'status')
      return [this.#take({ ...told, signal: { kind: 'status', status: revived(signal.status) } })];
    const place = this.#log.place(told);
    if (place === 'later') this.#sayHello();
    return place === 'next' ? [this.#take(told)] : [];
  }

  #hearHello({ by, position, epoch }: Extract<TabMessage<A>, { kind: 'hello' }>): void {
    if (this.#ownEpoch === undefined) return;
    this.#outbid(epoch);
    this.#reply(by, this.#log.since(position));
  }

  /** There may have been a leader with a greater number, if the clock of this machine was ahead then. */
  #outbid(epoch: number): void {
    if (this.#ownEpoch !== undefined && epoch > this.#ownEpoch) this.#claim(epoch + 1);
  }

  /** Whoever knows more than a new leader says so before it polls. */
  #hearClaim({ by, epoch, position }: Extract<TabMessage<A>, { kind: 'claim' }>): void {
    const missed = this.#log.since(position);
    if (!this.#isFromLeader(epoch) || missed?.length) this.#reply(by, missed);
  }

  #reply(to: string, missed: readonly Told<A>[] | undefined): void {
    const { position } = this.#log;
    this.#post({ kind: 'reply', to, epoch: this.#epoch, position, status: cloneable(this.#status), missed });
  }

  #hearReply({
    epoch,
    position,
    status,
    missed,
  }: Extract<TabMessage<A>, { kind: 'reply' }>): readonly WatchSignal<A>[] {
    if (this.#ownEpoch !== undefined) {
      this.#outbid(epoch);
      return this.#takeNext(missed ?? []);
    }
    if (!this.#isFromLeader(epoch)) return [];
    const current = this.#take({ after: undefined, signal: { kind: 'status', status: revived(status) } });
    if (missed) {
      const signals = this.#takeNext(missed);
      if (!this.#log.position) this.#log.skipTo(position);
      return [current, ...signals];
    }
    const at = this.#settings.scheduler.now();
    const gap: WatchSignal<A> = {
      kind: 'gap',
      gap: { reason: 'unwatched', at, index: this.#log.position?.index },
    };
    this.#log.skipTo(position);
    return [current, gap];
  }

  #takeNext(all: readonly Told<A>[]): readonly WatchSignal<A>[] {
    return all.flatMap(told => (this.#log.place(told) === 'next' ? [this.#take(told)] : []));
  }

  #take(told: Told<A>): WatchSignal<A> {
    const { signal } = told;
    if (signal.kind === 'status') this.#status = signal.status;
    else this.#log.add(told);
    return signal;
  }
}
