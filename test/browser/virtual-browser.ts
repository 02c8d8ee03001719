import type { Observable, Subscription } from 'rxjs';
import { createClient, eventsWatch, type IdentityEventList, type WatchSignal } from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';
import type { TabLocks } from '../../src/browser/tab-lock.js';
import { TabMember, type TabBrowser, type TabChannel } from '../../src/browser/tab-member.js';
import type { TabMessage } from '../../src/browser/tab-message.js';
import { virtualTime } from '../virtual-time.js';

/** A tab of a {@link virtualBrowser} that follows the events of an identity. */
export interface VirtualTab {
  /** The kinds of the events that came, and the reasons of gaps. */
  readonly seen: string[];
  readonly states: string[];
  isLeading: boolean;
  isVisible: boolean;
  /** Nothing that it says is heard, and it hears nothing: its machine stands still, but its lock is not given back. */
  isMute: boolean;
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

/** The locks and channels of a browser in virtual time, and tabs that share the events of one identity of an emulator. */
export function virtualBrowser(heartbeat = 1_000) {
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
  const locksOf = (owner: object): TabLocks => ({
    request: (_, options, callback) =>
      new Promise((resolve, reject) => {
        const request: Request = {
          owner,
          take: () => reject(new Error('stolen')),
          grant: async () => {
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

  const openChannel = (owner: VirtualTab): TabChannel => {
    const channel: TabChannel = {
      onmessage: null,
      postMessage: message => {
        if (owner.isMute) return;
        const data: unknown = structuredClone(message);
        for (const other of channels)
          if (other.channel !== channel)
            // As late as a message of another process.
            scheduler.schedule(() => {
              if (!other.owner.isMute) other.channel.onmessage?.({ data });
            }, 1);
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

  const addTab = (): VirtualTab => {
    let part: Subscription | undefined;
    const client = createClient({
      ...{ ...emulator.urls, transport: emulator.transport, token: () => token, scheduler },
      random: () => 0,
    });
    const tab: VirtualTab = {
      ...{ seen: [], states: [], isLeading: false, isVisible: true, isMute: false },
      onEvent: () => undefined,
      isOpen: () => part !== undefined,
      open: () => {
        part ??= member.takePart().subscribe(show);
      },
      close: () => {
        part?.unsubscribe();
        part = undefined;
      },
    };
    ids.set(tab, ids.size);
    const browser: TabBrowser = {
      locks: locksOf(tab),
      openChannel: () => openChannel(tab),
      isVisible: () => tab.isVisible,
    };
    const watch = (position: object): Observable<WatchSignal<IdentityEventList>> =>
      client.watchSignals(eventsWatch, {}, { ...position, isIdle: ({ events }) => events.length === 0 });
    const onLead = (isLeading: boolean) => {
      tab.isLeading = isLeading;
    };
    const settings = { name: 'tabs', heartbeat, scheduler, browser, onLead };
    const member = new TabMember(watch, {}, settings);
    const show = (signal: WatchSignal<IdentityEventList>) => {
      if (signal.kind === 'status') tab.states.push(signal.status.state);
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
    publish: (name: string) => emulator.publish(identity_id, { [name]: 1 }),
    polls: () => emulator.requests.filter(request => request.pending).length,
    /** Advances the clock in small steps, between which promises settle. */
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += STEP) {
        pass(STEP);
        await new Promise(resolve => setImmediate(resolve));
      }
    },
  };
}

const STEP = 10;
