import { EMPTY, map, Observable, type Subscription } from 'rxjs';
import {
  createClient,
  eventsWatch,
  type Client,
  type IdentityEventList,
  type WatchSharing,
  type WatchSignal,
} from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';
import type { TabLocks } from '../../../src/integrations/browser/tab-lock.js';
import type { TabMessage } from '../../../src/integrations/browser/tab-message.js';
import { tabWatch, type TabBrowser, type TabSettings } from '../../../src/integrations/browser/tab-watch.js';
import { virtualTime } from '../../virtual-time.js';
import { EventLoop } from './event-loop.js';
import { VirtualChannels, VirtualLocks, type TabProcess } from './virtual-locks.js';

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

/** How far the clock advances at a time. */
const STEP_MS = 10;

/**
 * The locks and channels of a browser in virtual time, and tabs that share the events of one
 * identity of an emulator.
 */
export function virtualBrowser() {
  const { scheduler, pass } = virtualTime();
  const emulator = createEmulator({ scheduler });
  const { identity_id, token } = emulator.addIdentity();
  const locks = new VirtualLocks();
  const channels = new VirtualChannels(scheduler);
  const loops: EventLoop[] = [];

  /**
   * A tab, or one whose feed is shared: that lingers, and each of its visits begins where the last
   * one stopped.
   */
  const addTab = (ownLocks?: TabLocks, hasFeed = false, linger = 1_000): VirtualTab => {
    const tab = new FollowingTab();
    const loop = new EventLoop(scheduler, () => tab.hangs);
    const process: TabProcess = { loop, clientId: String(loops.length) };
    loops.push(loop);
    const client = createClient({
      url: emulator.url,
      token: () => token,
      scheduler: loop.clock,
      testing: { random: () => 0 },
      transport: request => loop.observed(emulator.transport(request)),
    });
    const browser: TabBrowser = {
      locks: ownLocks ?? locks.of(process),
      openChannel: () => channels.open(process),
      isVisible: () => tab.isVisible,
    };
    const onLead = (isLeading: boolean) => {
      tab.isLeading = isLeading;
    };
    const settings = { name: 'tabs', scheduler: loop.clock, browser, onLead };
    tab.follow(hasFeed ? feedOf(client, { settings, linger }, tab) : watchOf(client, settings));
    return tab;
  };

  return {
    addTab,
    /** Sends a message to all tabs. */
    say: (message: TabMessage<never>) => channels.say(message),
    fault: emulator.fault.bind(emulator),
    publish: (name: string) => emulator.publish(identity_id, { [name]: 1 }),
    polls: () => emulator.requests.filter(request => request.pending).length,
    /** Advances the clock in small steps, between which promises settle. */
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += STEP_MS) {
        pass(STEP_MS);
        for (const loop of loops) loop.catchUp();
        await new Promise(resolve => setImmediate(resolve));
      }
    },
  };
}

/** A watch of a client's events that a tab shares with the others. */
function watchOf(client: Client, settings: TabSettings): Observable<WatchSignal<IdentityEventList>> {
  const watch = (position: object): Observable<WatchSignal<IdentityEventList>> =>
    client.watchSignals(
      eventsWatch,
      {},
      { ...position, read: ({ events }) => ({ isEmpty: events.length === 0 }) },
    );
  return tabWatch(watch, {}, settings);
}

/** The events of a client's feed that a tab shares with the others. Gaps are shown at once. */
function feedOf(
  client: Client,
  { settings, linger }: { readonly settings: TabSettings; readonly linger: number },
  tab: FollowingTab,
): Observable<WatchSignal<IdentityEventList>> {
  const share: WatchSharing = (watch, shared = {}) => tabWatch(watch, shared, settings);
  const feed = client.events.createFeed({ share, linger });
  feed.gap$.subscribe(gap => tab.show({ kind: 'gap', gap }));
  return feed.all$.pipe(
    map((event): WatchSignal<IdentityEventList> => {
      const answer = { events: [event], watch: { index: '' } };
      return { kind: 'answer', answer };
    }),
  );
}

/** What a tab shows of the watch that it takes part in. */
class FollowingTab implements VirtualTab {
  readonly seen: string[] = [];
  readonly states: string[] = [];
  readonly errors: unknown[] = [];
  isLeading = false;
  isVisible = true;
  hangs = false;
  onEvent: (kind: string) => void = () => undefined;
  #watched$: Observable<WatchSignal<IdentityEventList>> = EMPTY;
  #part: Subscription | undefined;

  /** Takes part in a watch. */
  follow(watched$: Observable<WatchSignal<IdentityEventList>>): void {
    this.#watched$ = watched$;
    this.open();
  }

  readonly isOpen = (): boolean => this.#part !== undefined;

  open(): void {
    this.#part ??= this.#watched$.subscribe({
      next: signal => this.show(signal),
      error: (error: unknown) => this.errors.push(error),
    });
  }

  close(): void {
    this.#part?.unsubscribe();
    this.#part = undefined;
  }

  show(signal: WatchSignal<IdentityEventList>): void {
    if (signal.kind === 'status') {
      this.states.push(signal.status.state);
      if (signal.status.error) this.errors.push(signal.status.error);
    }
    if (signal.kind === 'gap') this.seen.push(`gap: ${signal.gap.reason}`);
    if (signal.kind !== 'answer') return;
    for (const event of signal.answer.events) {
      const kind = event.kind === 'unknown' ? event.name : event.kind;
      this.seen.push(kind);
      this.onEvent(kind);
    }
  }
}
