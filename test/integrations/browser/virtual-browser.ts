import { map, Observable, VirtualTimeScheduler, type SchedulerLike, type Subscription } from 'rxjs';
import {
  createClient,
  eventsWatch,
  type IdentityEventList,
  type LiveEvent,
  type WatchSharing,
  type WatchSignal,
} from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';
import type { TabLocks } from '../../../src/integrations/browser/tab-lock.js';
import type { TabChannel, TabMessage } from '../../../src/integrations/browser/tab-message.js';
import { tabWatch, type TabBrowser } from '../../../src/integrations/browser/tab-watch.js';
import { virtualTime } from '../../virtual-time.js';

/** A tab of a {@link virtualBrowser} that follows the events of an identity. */
export interface VirtualTab {
  /** The kinds of the events that came, and the reasons of gaps. */
  readonly seen: string[];
  readonly states: string[];
  /** The errors of the status. */
  readonly errors: unknown[];
  isLeading: boolean;
  isVisible: boolean;
  /**
   * It stands still: its timers, messages, answers and locks have to wait. Its connections and its
   * lock are kept.
   */
  hangs: boolean;
  /** Called with the kind of each event. */
  onEvent: (kind: string) => void;
  /** Takes part, from where it was. */
  open(): void;
  /** Stops to take part, as a tab that is frozen or closed does. */
  close(): void;
  readonly isOpen: () => boolean;
}

interface Request {
  readonly owner: object;
  readonly grant: () => Promise<void>;
  readonly take: () => void;
}

/**
 * The locks and channels of a browser in virtual time, and tabs that share the events of one
 * identity of an emulator.
 */
export function virtualBrowser() {
  const { scheduler, pass } = virtualTime();
  const emulator = createEmulator({ scheduler });
  const { identity_id, token } = emulator.addIdentity();
  const channels = new Set<{ readonly owner: VirtualTab; readonly channel: TabChannel }>();
  let held: Request | undefined;
  let queue: Request[] = [];

  const next = () => {
    held = queue.shift();
    void held?.grant();
  };
  const locksOf = (owner: VirtualTab): TabLocks => ({
    request: (_, options, callback) =>
      new Promise((resolve, reject) => {
        const request: Request = {
          owner,
          take: () => loopOf(owner).run(() => reject(new Error('stolen'))),
          grant: async () => {
            await new Promise<void>(resolve => loopOf(owner).run(resolve));
            await callback();
            resolve(undefined);
            if (held === request) next();
          },
        };
        if ('steal' in options) {
          held?.take();
          held = request;
          void request.grant();
          return;
        }
        queue.push(request);
        (options.signal as AbortSignal).addEventListener('abort', () => {
          queue = queue.filter(other => other !== request);
          reject(new Error('aborted'));
        });
        if (!held) next();
      }),
    query: () => {
      const info = ({ owner }: Request) => ({ name: 'tabs', clientId: String(ids.get(owner)) });
      return Promise.resolve({ held: held ? [info(held)] : [], pending: queue.map(info) });
    },
  });
  const ids = new Map<object, number>();
  const loops = new Map<VirtualTab, EventLoop>();
  const loopOf = (tab: VirtualTab) => loops.get(tab)!;

  const openChannel = (owner: VirtualTab): TabChannel => {
    const channel: TabChannel = {
      onmessage: null,
      postMessage: message => {
        const data: unknown = structuredClone(message);
        for (const other of channels)
          if (other.channel !== channel)
            // As late as a message of another process.
            scheduler.schedule(() => loopOf(other.owner).run(() => other.channel.onmessage?.({ data })), 1);
      },
      close: () => {
        channel.onmessage = null;
        channels.delete(entry);
      },
    };
    const entry = { owner, channel };
    channels.add(entry);
    return channel;
  };

  /**
   * A tab, or one whose feed is shared: that lingers, and each of its visits begins where the last
   * one stopped.
   */
  const addTab = (locks?: TabLocks, hasFeed = false): VirtualTab => {
    let part: Subscription | undefined;
    const tab: VirtualTab = {
      seen: [],
      states: [],
      errors: [],
      isLeading: false,
      isVisible: true,
      hangs: false,
      onEvent: () => undefined,
      isOpen: () => part !== undefined,
      open: () => {
        part ??= watched$.subscribe({ next: show, error: (error: unknown) => tab.errors.push(error) });
      },
      close: () => {
        part?.unsubscribe();
        part = undefined;
      },
    };
    ids.set(tab, ids.size);
    const loop = new EventLoop(scheduler, () => tab.hangs);
    loops.set(tab, loop);
    const client = createClient({
      url: emulator.url,
      token: () => token,
      scheduler: loop.clock,
      testing: { random: () => 0 },
      transport: request => loop.observed(emulator.transport(request)),
    });
    const browser: TabBrowser = {
      locks: locks ?? locksOf(tab),
      openChannel: () => openChannel(tab),
      isVisible: () => tab.isVisible,
    };
    const watch = (position: object): Observable<WatchSignal<IdentityEventList>> =>
      client.watchSignals(eventsWatch, {}, { ...position, isEmpty: ({ events }) => events.length === 0 });
    const onLead = (isLeading: boolean) => {
      tab.isLeading = isLeading;
    };
    const settings = { name: 'tabs', scheduler: loop.clock, browser, onLead };
    const share: WatchSharing = (watch, shared = {}) => tabWatch(watch, shared, settings);
    const feed = hasFeed ? client.events.createFeed({ share }) : undefined;
    feed?.gap$.subscribe(gap => show({ kind: 'gap', gap }));
    const list = (event: LiveEvent) => ({ events: [event], watch: { index: '' } });
    const event$ = feed?.all$.pipe(map(event => ({ kind: 'answer', answer: list(event) }) as const));
    const watched$: Observable<WatchSignal<IdentityEventList>> = event$ ?? tabWatch(watch, {}, settings);
    const show = (signal: WatchSignal<IdentityEventList>) => {
      if (signal.kind === 'status') {
        tab.states.push(signal.status.state);
        if (signal.status.error) tab.errors.push(signal.status.error);
      }
      if (signal.kind === 'gap') tab.seen.push(`gap: ${signal.gap.reason}`);
      if (signal.kind !== 'answer') return;
      for (const event of signal.answer.events) {
        const kind = event.kind === 'unknown' ? event.name : event.kind;
        tab.seen.push(kind);
        tab.onEvent(kind);
      }
    };
    tab.open();
    return tab;
  };

  return {
    addTab,
    /** Sends a message to all tabs. */
    say: (message: TabMessage<never>) => {
      for (const { channel } of channels) channel.onmessage?.({ data: message });
    },
    fault: emulator.fault.bind(emulator),
    publish: (name: string) => emulator.publish(identity_id, { [name]: 1 }),
    polls: () => emulator.requests.filter(request => request.pending).length,
    /** Advances the clock in small steps, between which promises settle. */
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += STEP) {
        pass(STEP);
        for (const loop of loops.values()) loop.catchUp();
        await new Promise(resolve => setImmediate(resolve));
      }
    },
  };
}

const STEP = 10;

/** The event loop of a tab. While the tab hangs, what is to run waits. */
class EventLoop {
  /** A clock of the tab, whose timers wait as well. */
  readonly clock: SchedulerLike;
  readonly #timers = new VirtualTimeScheduler();
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly world: SchedulerLike,
    private readonly hangs: () => boolean,
  ) {
    this.#timers.frame = world.now();
    this.clock = Object.create(this.#timers, { now: { value: () => world.now() } }) as SchedulerLike;
  }

  run(task: () => void): void {
    if (this.hangs()) this.#waiting.push(task);
    else task();
  }

  /** What a request emits, when the tab gets round to it. */
  observed<T>(source$: Observable<T>): Observable<T> {
    return new Observable(subscriber =>
      source$.subscribe({
        next: value => this.run(() => subscriber.next(value)),
        error: (error: unknown) => this.run(() => subscriber.error(error)),
        complete: () => this.run(() => subscriber.complete()),
      }),
    );
  }

  /** Runs what was waiting, and the timers that are due. */
  catchUp(): void {
    if (this.hangs()) return;
    for (let task = this.#waiting.shift(); task; task = this.#waiting.shift()) task();
    this.#timers.maxFrames = this.world.now();
    this.#timers.flush();
    this.#timers.frame = this.world.now();
  }
}
