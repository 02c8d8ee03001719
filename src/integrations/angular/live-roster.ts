import { isPlatformServer } from '@angular/common';
import {
  assertInInjectionContext,
  computed,
  effect,
  inject,
  makeStateKey,
  PendingTasks,
  PLATFORM_ID,
  signal,
  TransferState,
  untracked,
  type Signal,
} from '@angular/core';
import { defer, finalize, map, take, takeUntil, tap, timer } from 'rxjs';
import type { Roster, RosterConfig } from '../../client/index.js';
import type { GroupMember } from '../../protocol/index.js';
import { connecting, type WatchStatus } from '../../stream/index.js';
import { injectLobby, LOBBY_APP, SHARED_ROSTERS } from './lobby.js';
import { firstRoster, type RosterState, type SharedRoster } from './shared-rosters.js';

/** A group as signals, until what injected it is destroyed. They never throw. */
export interface LiveRoster {
  /** The group; undefined until it has come. It stays while the watch is retrying, and when it has ended. */
  readonly value: Signal<Roster | undefined>;
  /** The status of the watch: `live`, `retrying` and so on. `closed` if polling again cannot help; see `error`. */
  readonly status: Signal<WatchStatus>;
  /** Why the watch is retrying, or has ended; undefined if all is well. */
  readonly error: Signal<unknown>;
  /** Watches again: after it has ended, or to not wait for the next attempt. */
  reload(): void;
}

/** A server does not wait any longer for a group, in ms. The browser asks again. */
const SERVER_PATIENCE = 2_000;

/** Which group is wanted is unknown: the function that says so has thrown. */
class Unknown {
  constructor(readonly error: unknown) {}
}

/** What is known of which group. */
interface Known extends RosterState {
  readonly group_id: string | Unknown | undefined;
}

/**
 * Injects a group, kept up to date, as signals. `group_id` may read signals: when it changes, the other group is watched, and none
 * while it is undefined. `config` is called for each group, and does not follow signals. What either of them throws is the `error` of
 * a roster that is `closed`, and so is the `InputError` of an invalid config.
 *
 * All that inject the same group with the same options share one watch, which ends a second after the last of them.
 *
 * On a server, the group is read once, which rendering waits for, up to 2 s, and handed over to the browser, which shows it at once.
 * Signals are set outside of the zone.
 *
 * Throws outside of an injection context.
 *
 * @example
 * readonly group_id = input.required<string>();
 * readonly roster = injectRoster(this.group_id, () => ({ count: 100 }));
 */
export function injectRoster(
  group_id: () => string | undefined,
  config: (group_id: string) => RosterConfig = () => ({}),
): LiveRoster {
  assertInInjectionContext(injectRoster);
  const sharedOf = isPlatformServer(inject(PLATFORM_ID)) ? rosterOnServer() : rosterInBrowser();
  const handedOver = inject(TransferState);
  const { scheduler } = inject(LOBBY_APP);
  const start = () => connecting(scheduler.now());
  const closedBy = (error: unknown): WatchStatus => ({ ...start(), state: 'closed', error });
  const wanted = computed(() => {
    try {
      return group_id();
    } catch (error) {
      return new Unknown(error);
    }
  });
  const reloads = signal(0);
  /** Undefined if there is none, or if the config has thrown. */
  let shared: SharedRoster | undefined;
  const nothing = (): Known => ({ group_id: undefined, roster: undefined, status: start() });
  const known = signal(nothing());
  const current = computed((): Known => {
    const id = wanted();
    if (known().group_id === id) return known();
    if (id instanceof Unknown) return { group_id: id, roster: undefined, status: closedBy(id.error) };
    const members = id === undefined ? undefined : handedOver.get(keyOf(id), undefined);
    return { group_id: id, roster: members && firstRoster(members), status: start() };
  });

  effect(onCleanup => {
    const id = wanted();
    reloads();
    // What is known of a group is old when it is wanted again.
    if (id === undefined || id instanceof Unknown) return known.set(nothing());
    const watching = untracked(() => {
      const change = (next: Partial<Known>) => {
        // Another group may be wanted already, although this effect has yet to run again.
        if (untracked(wanted) === id) known.set({ ...untracked(current), ...next });
      };
      return defer(() => {
        shared = sharedOf(id, config(id));
        return shared.state$;
      }).subscribe({
        // What a server has handed over stays until there is a roster.
        next: ({ roster, status }) => change(roster ? { roster, status } : { status }),
        error: (error: unknown) => change({ status: closedBy(error) }),
      });
    });
    onCleanup(() => {
      watching.unsubscribe();
      shared = undefined;
    });
  });

  return {
    value: computed(() => current().roster),
    status: computed(() => current().status),
    error: computed(() => current().status.error),
    reload: () => {
      if (shared) shared.reload();
      else reloads.update(count => count + 1);
    },
  };
}

type RosterSource = (group_id: string, config: RosterConfig) => SharedRoster;

function rosterInBrowser(): RosterSource {
  const rosters = inject(SHARED_ROSTERS);
  const handedOver = inject(TransferState);
  return (group_id, config) => {
    const { state$, reload } = rosters.of(group_id, config);
    // A later reader must not see what is old by then.
    return { state$: state$.pipe(tap(({ roster }) => roster && handedOver.remove(keyOf(group_id)))), reload };
  };
}

/** The first roster: who renders a page for once does not want to hear of changes. */
function rosterOnServer(): RosterSource {
  const { group } = injectLobby();
  const { scheduler } = inject(LOBBY_APP);
  const handedOver = inject(TransferState);
  const tasks = inject(PendingTasks);
  return (group_id, config) => {
    const roster$ = group.roster(group_id, config).pipe(
      take(1),
      tap(({ members }) => handedOver.set(keyOf(group_id), [...members.values()])),
      map(roster => ({ roster, status: connecting(scheduler.now()) })),
      takeUntil(timer(SERVER_PATIENCE, scheduler)),
    );
    return { state$: defer(() => roster$.pipe(finalize(tasks.add()))), reload: () => undefined };
  };
}

const keyOf = (group_id: string) => makeStateKey<readonly GroupMember[]>(`lobby-rx ${group_id}`);
