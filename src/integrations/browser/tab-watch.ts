import {
  asapScheduler,
  BehaviorSubject,
  catchError,
  concatMap,
  defer,
  EMPTY,
  filter,
  finalize,
  from,
  Observable,
  of,
  type SchedulerLike,
  subscribeOn,
  switchMap,
  tap,
  timer,
} from 'rxjs';
import { type ResumableWatch, type SharedWatch, type WatchSignal } from '../../stream/index.js';
import { Heartbeat } from './heartbeat.js';
import { RelayedLog } from './relayed-log.js';
import { tabLock, type TabLock, type TabLocks } from './tab-lock.js';
import {
  cloneable,
  revived,
  withStatus,
  type Relayed,
  type TabChannel,
  type TabMessage,
  type TabQuestion,
  type TabReply,
} from './tab-message.js';

/** How long a signal of an earlier leader may take to arrive, in ms. */
const SETTLE = 50;

/** What the tabs that share a watch have in common. */
export interface TabSettings {
  /** Of the lock and of the channel. */
  readonly name: string;
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

/**
 * The watch of one tab among those that share it. A tab follows: it emits what the leader sends. When it gets the lock, it leads:
 * it polls on from where it is, and sends the signals to the others. Each signal has the index that it follows, so that every tab
 * knows what it has missed and what it has already, from whichever tab it comes. Each subscription continues where the last stopped.
 */
export function tabWatch<A>(
  watch: ResumableWatch<A>,
  shared: SharedWatch,
  settings: TabSettings,
): Observable<WatchSignal<A>> {
  const { name, scheduler, browser, onLead } = settings;
  const id = String(Math.random());
  const log = new RelayedLog<A>(shared, scheduler.now());
  const heartbeat = new Heartbeat(scheduler);
  /** The number of the newest leader: each has a greater one than those before. */
  let epoch = 0;
  return new Observable(subscriber => {
    subscriber.next({ kind: 'status', status: log.status });
    // One that leaves at once takes no part.
    if (subscriber.closed) return;
    const channel = browser.openChannel(name);
    subscriber.add(() => channel.close());
    /** While this tab has the lock, as far as it knows. A settling leader does not poll yet: it may still learn where to poll from. */
    let lead: { epoch: number; isSettling: boolean; readonly isHeld: () => Promise<boolean> } | undefined;

    /** Whether this tab polls for itself: it may have no lock, or cannot send anything to the others. */
    const isAlone$ = new BehaviorSubject(false);
    const post = (message: TabMessage<A>): void => {
      if (subscriber.closed || isAlone$.value) return;
      try {
        channel.postMessage(message);
      } catch {
        isAlone$.next(true);
      }
    };
    const ask = (kind: 'hello' | 'claim'): void => post({ kind, by: id, epoch, position: log.position });
    const reply = ({ by: to, position: from }: TabQuestion): void => {
      const { position } = log;
      const status = cloneable(log.status);
      post({ kind: 'reply', to, epoch, after: from?.index, position, status, missed: log.since(from) });
    };
    const claim = (next: number): void => {
      epoch = next;
      ask('claim');
    };

    /** Whether it leads beyond doubt: it knows of no newer leader, and can have missed none. */
    const isSure = (): boolean => lead?.epoch === epoch && !heartbeat.hasStoodStill();
    /** Whether it leads. The tab that has the lock does, whatever number another one had when the clock was ahead. */
    const leads = async (): Promise<boolean> => {
      const asking = lead;
      if (!asking || isSure()) return asking !== undefined;
      if (!(await asking.isHeld()) || lead !== asking) return false;
      heartbeat.settleDoubt();
      if (asking.epoch < epoch) claim(epoch + 1);
      asking.epoch = epoch;
      return true;
    };

    /** The signals that follow from a message. */
    const onMessage = (message: TabMessage<A>): readonly WatchSignal<A>[] => {
      const isOlder = message.epoch < epoch;
      epoch = Math.max(epoch, message.epoch);
      if (lead && message.kind !== 'reply') {
        // Its number may be that of a newer leader.
        void leads().then(isLeading => {
          if (isLeading && message.kind === 'hello') reply(message);
        });
        return [];
      }
      const isFollowing = !lead && !isOlder;
      if (isFollowing && message.kind !== 'hello') heartbeat.hear();
      switch (message.kind) {
        case 'hello':
          return [];
        case 'claim':
          if (isOlder || log.knowsMoreThan(message.position)) reply(message);
          return [];
        case 'reply':
          if (message.to !== id) return [];
          if (lead?.isSettling && !log.isState) return log.take(message.missed ?? [], message.position);
          return isFollowing ? onReply(message) : [];
        case 'signal':
          if (!isFollowing) return [];
          if (log.place(message.relayed) === 'later') ask('hello');
          return log.take([withStatus(message.relayed, revived)]);
        case 'beat':
          // What came before it has been missed.
          if (isFollowing && message.index !== log.index) ask('hello');
          return [];
      }
    };
    const onReply = ({ after, position, status, missed }: TabReply<A>): readonly WatchSignal<A>[] => {
      const { index } = log;
      const current: Relayed<A> = { after, signal: { kind: 'status', status: revived(status) } };
      // It has received more since it asked.
      if (after !== index) return log.take([current]);
      if (missed) return log.take([current, ...missed], position);
      log.skipTo(position);
      const gap = { reason: 'unwatched', at: scheduler.now(), index } as const;
      return [...log.take([current]), { kind: 'gap', gap }];
    };

    /** What this tab polls while it leads. Each signal is sent to the others before it is emitted. */
    const led$ = ({ isWanted, isHeld }: TabLock): Observable<WatchSignal<A>> => {
      heartbeat.settleDoubt();
      // A tab that has just come does not know how many leaders there have been.
      claim(Math.max(epoch + 1, scheduler.now()));
      lead = { epoch, isSettling: true, isHeld };
      onLead(true);
      return (isWanted || log.position ? timer(SETTLE, scheduler) : of(0)).pipe(
        switchMap(() => {
          if (lead) lead.isSettling = false;
          return watch(log.position ? { from: log.position } : {});
        }),
        // The others know the status so far, which is no worse because another tab polls.
        filter(signal => signal.kind !== 'status' || signal.status.state !== 'connecting'),
        // If it does not lead any more, the next leader sends the same.
        concatMap(signal =>
          isSure() ? [signal] : from(leads()).pipe(concatMap(leads => (leads ? [signal] : EMPTY))),
        ),
        tap(signal => {
          const relayed = { after: log.index, signal };
          // That this tab cannot go on says nothing of the others.
          const isEnd = signal.kind === 'status' && signal.status.state === 'closed';
          if (!isEnd) post({ kind: 'signal', epoch, relayed: withStatus(relayed, cloneable) });
          // It is requested again, alone.
          if (!isAlone$.value) log.take([relayed]);
        }),
        // It ends with the watch, although the waiting for locks would not.
        tap({ complete: () => subscriber.complete() }),
        finalize(() => {
          lead = undefined;
          onLead(false);
        }),
      );
    };

    const alone$ = defer(() => {
      channel.close();
      onLead(true);
      return watch(log.position ? { from: log.position } : {});
    }).pipe(
      tap({
        // Where it goes on when the page comes back.
        next: signal => log.take([{ after: log.index, signal }]),
        complete: () => subscriber.complete(),
        finalize: () => onLead(false),
      }),
      // What could not be sent may be the first word of a leader, which has to end before.
      subscribeOn(asapScheduler),
    );

    channel.onmessage = ({ data }) => {
      for (const signal of onMessage(data as TabMessage<A>)) subscriber.next(signal);
    };
    ask('hello');
    const silent$ = heartbeat.beats$.pipe(
      tap(() => lead && post({ kind: 'beat', epoch: lead.epoch, index: log.index })),
      filter(() => !lead && heartbeat.isSilent()),
      // It takes some beats to get the lock.
      tap(() => heartbeat.hear()),
    );
    const taken$ = tabLock(browser.locks, name, silent$, browser.isVisible).pipe(
      catchError(() => {
        isAlone$.next(true);
        return EMPTY;
      }),
      switchMap(lock => {
        if (lock) return led$(lock);
        // It took nothing from others while it was the leader, or seemed to be.
        ask('hello');
        return EMPTY;
      }),
    );
    subscriber.add(isAlone$.pipe(switchMap(isAlone => (isAlone ? alone$ : taken$))).subscribe(subscriber));
  });
}
