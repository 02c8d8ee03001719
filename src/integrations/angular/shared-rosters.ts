import {
  catchError,
  defer,
  finalize,
  map,
  of,
  ReplaySubject,
  scan,
  share,
  startWith,
  Subject,
  switchMap,
  tap,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import type { GroupApi, Roster, RosterConfig } from '../../client/index.js';
import type { GroupMember } from '../../protocol/index.js';
import { connecting, type WatchSignal, type WatchStatus } from '../../stream/index.js';
import type { AppLife } from './app-life.js';

/** What is known of a group. */
export interface RosterState {
  readonly roster: Roster | undefined;
  readonly status: WatchStatus;
}

/** The roster of a group, for all that shows it. */
export interface SharedRoster {
  /** What is known now, and each change. It is watched while there are subscribers, and never ends. */
  readonly state$: Observable<RosterState>;
  /** Polls soon: a watch that is retrying does not wait any longer, and one that has ended is begun again. */
  readonly reload: () => void;
}

/** What a {@link SharedRosters} needs. */
interface SharedRostersConfig {
  readonly group: GroupApi;
  readonly life: AppLife;
  readonly scheduler: SchedulerLike;
  readonly wake$: Subject<void>;
}

interface Entry {
  readonly group_id: string;
  readonly config: RosterConfig;
  readonly shared: SharedRoster;
}

/** How long a group is watched once nothing shows it, in ms: on the next page there may be something that does. */
const LINGER = 1_000;

/** Watches each group once for everything in an injector that shows it with the same options. */
export class SharedRosters {
  readonly #config: SharedRostersConfig;
  #entries: readonly Entry[] = [];

  constructor(config: SharedRostersConfig) {
    this.#config = config;
  }

  /** The roster that is being watched, or will be. */
  of(group_id: string, config: RosterConfig): SharedRoster {
    const known = this.#entries.find(entry => entry.group_id === group_id && isSame(entry.config, config));
    if (known) return known.shared;
    const { group } = this.#config;
    const shared = this.#share(
      defer(() => group.rosterSignals(group_id, config)),
      () => (this.#entries = this.#entries.filter(entry => entry.shared !== shared)),
    );
    this.#entries = [...this.#entries, { group_id, config, shared }];
    return shared;
  }

  #share(signal$: Observable<WatchSignal<Roster>>, onUnused: () => void): SharedRoster {
    const { life, scheduler, wake$ } = this.#config;
    const restart$ = new Subject<void>();
    let isClosed = false;
    const start = () => connecting(scheduler.now());
    const closedBy = (error: unknown) =>
      of({ kind: 'status', status: { ...start(), state: 'closed', error } } as const);
    const watch$ = life.outside(signal$).pipe(catchError(closedBy));
    const state$ = restart$.pipe(
      startWith(undefined),
      switchMap(() => watch$),
      scan(stateAfter, { roster: undefined, status: start() }),
      tap(({ status }) => (isClosed = status.state === 'closed')),
      finalize(onUnused),
      share({
        connector: () => new ReplaySubject<RosterState>(1),
        resetOnRefCountZero: () => timer(LINGER, scheduler),
      }),
    );
    return { state$: state$.pipe(startingWithAll()), reload: () => (isClosed ? restart$ : wake$).next() };
  }
}

function isSame(one: RosterConfig, other: RosterConfig): boolean {
  const names = Object.keys({ ...one, ...other }) as (keyof RosterConfig)[];
  return names.every(name => Object.is(one[name], other[name]));
}

function stateAfter(state: RosterState, signal: WatchSignal<Roster>): RosterState {
  if (signal.kind === 'status') return { ...state, status: signal.status };
  return signal.kind === 'answer' ? { ...state, roster: signal.answer } : state;
}

/** For each subscriber, all members of the first roster have joined. */
function startingWithAll() {
  return (state$: Observable<RosterState>) =>
    defer(() => {
      let first: { readonly of: Roster; readonly shown: Roster } | undefined;
      return state$.pipe(
        map(state => {
          const { roster } = state;
          if (roster) first ??= { of: roster, shown: firstRoster([...roster.members.values()]) };
          return first && roster === first.of ? { ...state, roster: first.shown } : state;
        }),
      );
    });
}

/** A group before anything was known of it. */
export function firstRoster(members: readonly GroupMember[]): Roster {
  const byId = new Map(members.map(member => [member.identity.identity_id, member]));
  return { members: byId, joined: members, left: [], updated: [] };
}
