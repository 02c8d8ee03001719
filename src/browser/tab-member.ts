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
  /** While this tab has the lock, as far as it knows: its number, and whether it still has it. */
  #lead: { readonly epoch: number; readonly isHeld: () => Promise<boolean> } | undefined;

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
          if (this.#lead) this.#post({ kind: 'beat', epoch: this.#lead.epoch });
        }),
        filter(() => !this.#lead && this.#heartbeat.isSilent() && browser.isVisible()),
      );
      const led$ = tabLock(browser.locks, name, silent$).pipe(
        switchMap(lock =>
          // It ends with the watch, although the waiting for locks would not.
          lock ? this.#polled(lock).pipe(tap({ complete: () => subscriber.complete() })) : EMPTY,
        ),
      );
      subscriber.add(led$.subscribe(subscriber));
    });
  }

  /** The leader's own watch. Each signal is told to the others before it is emitted. */
  #polled({ isWanted, isHeld }: TabLock): Observable<WatchSignal<A>> {
    const { scheduler, onLead } = this.#settings;
    // A tab that has just come does not know how many leaders there have been.
    this.#claim(Math.max(this.#epoch + 1, scheduler.now()), isHeld);
    onLead(true);
    return (isWanted || this.#log.position ? timer(SETTLE, scheduler) : of(0)).pipe(
      switchMap(() => this.#watch(this.#log.position ? { from: this.#log.position } : {})),
      // Everybody knows the status so far, which is no worse because someone else polls.
      filter(signal => signal.kind !== 'status' || signal.status.state !== 'connecting'),
      // Otherwise the next leader tells the same.
      concatMap(signal =>
        this.#isSure() ? [signal] : from(this.#leads()).pipe(concatMap(leads => (leads ? [signal] : EMPTY))),
      ),
      tap(signal => {
        const after = this.#log.position?.index;
        const told = signal.kind === 'status' ? { ...signal, status: cloneable(signal.status) } : signal;
        this.#post({ kind: 'told', epoch: this.#epoch, told: { after, signal: told } });
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

  /** Whether it is the leader. Whoever has the lock is, whatever number another one had when the clock was ahead. */
  async #leads(): Promise<boolean> {
    const lead = this.#lead;
    if (!lead || this.#isSure()) return lead !== undefined;
    const { isHeld } = lead;
    // It may have claimed the lead again meanwhile, but not have got another lock.
    if (!(await isHeld()) || this.#lead?.isHeld !== isHeld) return false;
    if (this.#lead.epoch < this.#epoch) this.#claim(this.#epoch + 1, isHeld);
    return true;
  }

  #claim(epoch: number, isHeld: () => Promise<boolean>): void {
    this.#epoch = epoch;
    this.#lead = { epoch, isHeld };
    this.#post({ kind: 'claim', by: this.#id, epoch, position: this.#log.position });
  }

  #sayHello(): void {
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
    if (message.kind === 'claim') {
      // Whoever knows more than a new leader says so before it polls.
      if (isOlder || this.#log.since(message.position)?.length) this.#reply(message);
    }
    if (isOlder) return [];
    this.#heartbeat.hear();
    if (message.kind === 'told') return this.#hearSignal(message.told);
    return message.kind === 'reply' && message.to === this.#id ? this.#hearReply(message) : [];
  }

  #hearAsLeader(message: TabMessage<A>): readonly WatchSignal<A>[] {
    if (message.kind === 'reply') return message.to === this.#id ? this.#takeNext(message.missed ?? []) : [];
    void this.#leads().then(leads => {
      if (leads && message.kind === 'hello') this.#reply(message);
    });
    return [];
  }

  #hearSignal(told: Told<A>): readonly WatchSignal<A>[] {
    const { signal } = told;
    if (signal.kind === 'status')
      return [this.#take({ ...told, signal: { kind: 'status', status: revived(signal.status) } })];
    const place = this.#log.place(told);
    if (place === 'later') this.#sayHello();
    return place === 'next' ? [this.#take(told)] : [];
  }

  /** Tells whoever has said hello, or has claimed the lead, what it has missed. */
  #reply({ by, position: theirs }: Extract<TabMessage<A>, { kind: 'hello' | 'claim' }>): void {
    const { position } = this.#log;
    const missed = this.#log.since(theirs);
    const status = cloneable(this.#status);
    this.#post({ kind: 'reply', to: by, epoch: this.#epoch, position, status, missed });
  }

  #hearReply({
    position,
    status,
    missed,
  }: Extract<TabMessage<A>, { kind: 'reply' }>): readonly WatchSignal<A>[] {
    const current = this.#take({ after: undefined, signal: { kind: 'status', status: revived(status) } });
    if (missed) {
      const signals = this.#takeNext(missed);
      if (!this.#log.position) this.#log.skipTo(position);
      return [current, ...signals];
    }
    const at = this.#settings.scheduler.now();
    const index = this.#log.position?.index;
    this.#log.skipTo(position);
    return [current, { kind: 'gap', gap: { reason: 'unwatched', at, index } }];
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
