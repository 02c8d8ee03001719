import {
  asyncScheduler,
  BehaviorSubject,
  defer,
  finalize,
  tap,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import {
  checkArgument,
  checkOptions,
  InputError,
  nonEmptyString,
  schedulerLike,
  type Options,
} from '../../error/index.js';
import {
  runWhile,
  type ResumableWatch,
  type SharedWatch,
  type WatchSharing,
  type WatchSignal,
} from '../../stream/index.js';
import { pageAlive } from './page-alive.js';
import type { TabLocks } from './tab-lock.js';
import type { TabChannel } from './tab-message.js';
import { tabWatch, type TabBrowser } from './tab-watch.js';
import { whileAlive } from './while-alive.js';

/** The options of {@link acrossTabs}. */
export interface AcrossTabsConfig {
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

/** One watch for all tabs. A value for the option `share` of a feed or a roster. */
export interface TabSharing extends WatchSharing {
  /** Emits whether this tab is the one that polls, at once and at each change. */
  readonly leads$: Observable<boolean>;
}

/** Two watches would take the answers of each other. */
const OWN_SHARE = 'an acrossTabs() of its own for each feed and roster, with a name of its own';

const OPTIONS: Options<AcrossTabsConfig> = { scheduler: schedulerLike };

/**
 * Shares one watch among all tabs of a site that use the same `name`. One of them polls, and sends
 * the answers, the gaps and the status to the others. When that tab is closed, crashes, is frozen
 * or goes into the back/forward cache, another one continues from its checkpoint. If the tab is
 * silent for three seconds, a visible tab takes over. No tab loses an answer or gets it twice,
 * unless the service itself sends it again after a resume.
 *
 * Tabs with the same name get the same answers. So the name must include the identity, and anything
 * else that the answers depend on. Only tabs of one origin can hear each other. Bearer tokens are
 * not sent, but answers are, and a lobby join has a player token. Without Web Locks and
 * BroadcastChannel (not in a page, or not over https), each tab watches for itself, while it is
 * alive. In a dedicated worker, the watch ends with an `InputError`.
 *
 * The tabs remember 50 answers. A tab that comes back after it has missed more gets a gap whose
 * reason is `unwatched`.
 *
 * Throws an `InputError` if the name or the config is invalid.
 *
 * @example
 * const feed = client.events.createFeed({ share: acrossTabs(`events of ${identity_id}`) });
 */
export function acrossTabs(name: string, config: AcrossTabsConfig = {}): TabSharing {
  checkArgument('name', nonEmptyString, name);
  checkOptions(config, OPTIONS);
  const { scheduler = asyncScheduler } = config;
  const isLeading$ = new BehaviorSubject(false);
  let isUsed = false;
  const share = <A>(watch: ResumableWatch<A>, shared: SharedWatch = {}): Observable<WatchSignal<A>> =>
    defer((): Observable<WatchSignal<A>> => {
      const onLead = (isLeading: boolean) => isLeading$.next(isLeading);
      const browser = browserOf(globalThis as Globals);
      if (!browser) {
        // A worker of each tab has no page whose life it could follow, so each would lead.
        if ('DedicatedWorkerGlobalScope' in globalThis)
          throw new InputError('share', 'used in a page or in a SharedWorker', 'a dedicated worker');
        // Each tab polls for itself.
        onLead(true);
        return whileAlive(watch, shared).pipe(finalize(() => onLead(false)));
      }
      if (isUsed) throw new InputError('share', OWN_SHARE, 'one that is in use');
      isUsed = true;
      const release = () => {
        isUsed = false;
      };
      const settings = { name: `lobby-rx 1 ${name}`, scheduler, browser, onLead };
      const watched$ = tabWatch(watch, shared, settings);
      // Released before its end is emitted: a subscriber may start again in response.
      return runWhile(pageAlive(), () => watched$).pipe(
        tap({ error: release, complete: release, finalize: release }),
      );
    });
  return Object.assign(share, { leads$: isLeading$.asObservable() });
}

/** The parts of the global object that are used, if it has them. */
interface Globals {
  readonly navigator?: { readonly locks?: TabLocks };
  readonly document?: { readonly visibilityState?: string };
  readonly BroadcastChannel?: new (name: string) => unknown;
}

function browserOf({ navigator, document, BroadcastChannel }: Globals): TabBrowser | undefined {
  const locks = navigator?.locks;
  if (!locks || !document || !BroadcastChannel) return undefined;
  try {
    // Some browsers forbid it where they forbid storage.
    (new BroadcastChannel('lobby-rx') as TabChannel).close();
  } catch {
    return undefined;
  }
  return {
    locks,
    openChannel: name => new BroadcastChannel(name) as TabChannel,
    isVisible: () => document.visibilityState === 'visible',
  };
}
