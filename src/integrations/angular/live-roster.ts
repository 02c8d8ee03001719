import {
  computed,
  effect,
  inject,
  makeStateKey,
  signal,
  TransferState,
  untracked,
  type Signal,
  type StateKey,
} from '@angular/core';
import { tap, type Observable } from 'rxjs';
import type { GroupMember } from '../../protocol/index.js';
import { connecting, type WatchStatus } from '../../stream/index.js';
import {
  rosterState,
  type RosterState,
  type RosterStateConfig,
  type StateObservable,
} from '../views/index.js';
import { injectLobbyClient, CLIENT_APP } from './lobby.js';
import type { ServerVisit } from './server-visit.js';

/**
 * The members of a group as signals, until the component or service that injected them is
 * destroyed. The signals never throw.
 */
export interface LiveRoster {
  /**
   * The members, by `identity_id`. `undefined` until they are known. They stay while the watch is
   * retrying, and after it has ended.
   */
  readonly value: Signal<ReadonlyMap<string, GroupMember> | undefined>;
  /**
   * The status of the watch: `live`, `retrying` and so on. `idle` without a group. `closed` if
   * polling again cannot help. Then `error` says why.
   */
  readonly status: Signal<WatchStatus>;
  /** Why the watch has ended. `undefined` until then. */
  readonly error: Signal<unknown>;
  /** Whether the members are being loaded. */
  readonly isLoading: Signal<boolean>;
  /** Whether the members are known. */
  hasValue(): boolean;
  /** Polls now. Watches again if the watch has ended. */
  reload(): void;
}

/** The group to show, unless there is none, or the config is invalid. */
interface Target {
  readonly group?: WantedGroup;
  /** Shown until the state has a value: why there is no group, or the members from a server. */
  readonly initial: RosterState;
}

/** A group to show. With the key, a server hands its members over to the browser. */
interface WantedGroup {
  readonly key: StateKey<readonly GroupMember[]>;
  readonly state: StateObservable<RosterState>;
}

/**
 * Injects the members of a group, kept up to date, as signals that read like those of Angular's
 * resources. `group_id` may read signals. When it changes, the other group is watched. While it is
 * `undefined`, no group is watched. `config` is called for each group, and does not follow signals.
 * If either of them throws, or the config is invalid, the roster is `closed` with that `error`.
 *
 * All components that show the same group with the same options share one watch. It ends the
 * client's `linger` after the last of them is destroyed.
 *
 * On a server, the group is read once. Rendering waits for that, up to 2 s. The members are handed
 * over to the browser, which shows them at once. Signals are set outside of the zone.
 *
 * Throws outside of an injection context.
 *
 * @example
 * readonly group_id = input.required<string>();
 * readonly roster = injectRoster(this.group_id, () => ({ count: 100 }));
 */
export function injectRoster(
  group_id: () => string | undefined,
  config: (group_id: string) => RosterStateConfig = () => ({}),
): LiveRoster {
  const client = injectLobbyClient();
  const { zone, serverVisit } = inject(CLIENT_APP);
  const handedOver = inject(TransferState);
  const idle = { ...connecting(client.scheduler.now()), state: 'idle' } as const;
  /** Set to another object by each `reload()` without a group. */
  const reloaded = signal({});
  const wanted = computed<Target>(
    () => {
      reloaded();
      try {
        const id = group_id();
        if (id === undefined) return { initial: { status: idle } };
        const state = untracked(() => rosterState(client, id, config(id)));
        const key = makeStateKey<readonly GroupMember[]>(`lobby-rx ${id}`);
        const members = handedOver.get(key, undefined);
        return { group: { key, state }, initial: { ...(members && byId(members)), status: idle } };
      } catch (error) {
        return { initial: { status: { ...idle, state: 'closed', error } } };
      }
    },
    { equal: (before, after) => before.group !== undefined && before.group.state === after.group?.state },
  );
  const latest = signal<{ readonly target: Target; readonly state: RosterState } | undefined>(undefined);
  const current = computed((): RosterState => {
    const target = wanted();
    const last = latest();
    // Another group may be wanted already, although the effect has yet to run again.
    const state = last?.target === target ? last.state : target.group?.state.value;
    return { ...target.initial, ...state };
  });

  effect(onCleanup => {
    const target = wanted();
    const { group } = target;
    if (!group) return;
    const watching = untracked(() =>
      zone
        .outside(statesOf(group, serverVisit, handedOver))
        .subscribe(state => latest.set({ target, state })),
    );
    onCleanup(() => watching.unsubscribe());
  });

  const value = computed(() => current().members);
  const status = computed(() => current().status);
  const hasValue = () => value() !== undefined;
  return {
    value,
    status,
    error: computed(() => (status().state === 'closed' ? status().error : undefined)),
    isLoading: computed(() => !hasValue() && !['idle', 'closed'].includes(status().state)),
    hasValue,
    reload: () => {
      const { group } = untracked(wanted);
      if (group) group.state.reload();
      else reloaded.set({});
    },
  };
}

/** The states of a group. A server reads it once, and hands the members over to the browser. */
function statesOf(
  { key, state }: WantedGroup,
  serverVisit: ServerVisit | undefined,
  handedOver: TransferState,
): Observable<RosterState> {
  if (serverVisit) {
    return serverVisit
      .readOnce(state)
      .pipe(tap(({ members }) => members && handedOver.set(key, [...members.values()])));
  }
  // A later reader must not see members that are old by then.
  return state.pipe(tap(({ members }) => members && handedOver.remove(key)));
}

function byId(members: readonly GroupMember[]): Pick<RosterState, 'members'> {
  return { members: new Map(members.map(member => [member.identity.identity_id, member])) };
}
