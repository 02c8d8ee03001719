import {
  computed,
  effect,
  inject,
  makeStateKey,
  signal,
  TransferState,
  untracked,
  type Signal,
} from '@angular/core';
import { scan, tap, type Observable } from 'rxjs';
import { anAnswerObject, aPlainValue, atOnce } from '../../error/index.js';
import type { GroupMember } from '../../protocol/index.js';
import { idle, type WatchStatus } from '../../stream/index.js';
import {
  rosterState,
  type RosterState,
  type RosterStateConfig,
  type StateObservable,
} from '../views/index.js';
import { debugName } from './debug-name.js';
import { injectLobbyClient, CLIENT_APP } from './lobby.js';
import { injectPausable, type PauseConfig } from './pausable.js';

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

/** The options of {@link injectRoster}. */
export interface LiveRosterConfig extends RosterStateConfig, PauseConfig {}

/** The group to show, unless there is none, or the config is invalid. */
interface Target {
  readonly group?: WantedGroup;
  /** Shown until the state has a value: why there is no group, or the members from a server. */
  readonly initial: RosterState;
}

/** A group to show. */
interface WantedGroup {
  readonly state: StateObservable<RosterState>;
  /** The states that are shown, from `initial` on. On a server, the group is read once. */
  readonly shown$: Observable<RosterState>;
}

/** What a server hands over to the browser, as JSON. */
interface HandedOver {
  readonly members: readonly GroupMember[];
  readonly status: WatchStatus;
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
 * On a server, the group is read once. Rendering waits for that, up to 2 s. The members and the
 * status are handed over to the browser, which shows them until its own watch has an answer or
 * fails. Signals are set outside of the zone.
 *
 * Throws outside of an injection context.
 *
 * @example
 * readonly group_id = input.required<string>();
 * readonly roster = injectRoster(this.group_id, () => ({ count: 100 }));
 */
export function injectRoster(
  group_id: () => string | undefined,
  config: (group_id: string) => LiveRosterConfig = () => ({}),
): LiveRoster {
  const { zone, scheduler } = inject(CLIENT_APP);
  const targetOf = injectTargets(config);
  const nothing: RosterState = { status: idle(scheduler.now()) };
  /** Set to another object by each `reload()` without a group. */
  const reloaded = signal({});
  const wanted = computed<Target>(
    () => {
      reloaded();
      try {
        const id = atOnce('group_id', group_id, aPlainValue)();
        return id === undefined ? { initial: nothing } : untracked(() => targetOf(id));
      } catch (error) {
        return { initial: { status: { ...nothing.status, state: 'closed', error } } };
      }
    },
    { equal: (before, after) => before.group !== undefined && before.group.state === after.group?.state },
  );
  const latest = signal<{ readonly target: Target; readonly state: RosterState } | undefined>(undefined);
  const current = computed((): RosterState => {
    const target = wanted();
    const last = latest();
    // Another group may be wanted already, although the effect has yet to run again.
    if (last?.target === target) return last.state;
    return latestOf(target.initial, target.group?.state.value ?? target.initial);
  });

  effect(onCleanup => {
    const target = wanted();
    const { group } = target;
    if (!group) return;
    const watching = untracked(() =>
      zone.outside(group.shown$).subscribe(state => latest.set({ target, state })),
    );
    onCleanup(() => watching.unsubscribe());
  });

  const value = computed(() => current().members, debugName('roster.value'));
  const status = computed(() => current().status, debugName('roster.status'));
  const hasValue = () => value() !== undefined;
  return {
    value,
    status,
    error: computed(
      () => (status().state === 'closed' ? status().error : undefined),
      debugName('roster.error'),
    ),
    isLoading: computed(
      () => !hasValue() && !['idle', 'closed'].includes(status().state),
      debugName('roster.isLoading'),
    ),
    hasValue,
    reload: () => {
      const { group } = untracked(wanted);
      if (group) group.state.reload();
      else reloaded.set({});
    },
  };
}

/** Makes the target of each group that is wanted. */
function injectTargets(config: (group_id: string) => LiveRosterConfig): (group_id: string) => Target {
  const client = injectLobbyClient();
  const { serverVisit } = inject(CLIENT_APP);
  const transferState = inject(TransferState);
  const pausable = injectPausable();
  return group_id => {
    const { isPaused, ...options } = atOnce('config', config, anAnswerObject)(group_id);
    const state = rosterState(client, group_id, options);
    const key = makeStateKey<HandedOver>(`lobby-rx ${group_id}`);
    const before = transferState.get(key, undefined);
    const initial = before ? rosterOf(before) : { status: idle(client.scheduler.now()) };
    const handOver = ({ members, status }: RosterState) => {
      if (!members) return;
      if (serverVisit) transferState.set(key, { members: [...members.values()], status });
      // A later reader must not see members that are old by then.
      else transferState.remove(key);
    };
    const shown$ = serverVisit?.readOnce(client, group_id, options.count) ?? pausable(state, isPaused);
    return { group: { state, shown$: shown$.pipe(tap(handOver), scan(latestOf, initial)) }, initial };
  };
}

/**
 * What is shown after a state. While the first answer is on its way, that is all that a server has
 * handed over, or the members from before a pause. Otherwise the page would change twice.
 */
function latestOf(shown: RosterState, state: RosterState): RosterState {
  const isSilent = !state.members && ['idle', 'connecting'].includes(state.status.state);
  if (isSilent && shown.members && shown.status.state !== 'idle') return shown;
  // The members of a closed client are no longer shown.
  const isClosed = state.status.state === 'closed' && state.status.error === undefined;
  return isClosed ? state : { ...shown, ...state };
}

function rosterOf({ members, status }: HandedOver): RosterState {
  return { members: new Map(members.map(member => [member.identity.identity_id, member])), status };
}
