import { concatMap, defer, type Observable } from 'rxjs';
import {
  aFunction,
  anObservable,
  answeredAtOnce,
  checkOptions,
  definedOptions,
  milliseconds,
  positiveInteger,
  type Options,
} from '../../error/index.js';
import {
  jsonEqual,
  type GroupMember,
  type GroupMemberList,
  type MalformedMember,
} from '../../protocol/index.js';
import { WATCH_OPTIONS, type WatchConfig, type WatchSharing, type WatchSignal } from '../../stream/index.js';
import type { ClientContext } from '../context.js';
import { unlessRendering } from '../endpoint-watch.js';
import { watchGroup } from './group-watch.js';
import type { GroupEntries } from './members.js';

/** All members of a group at one time, and the changes since the previous roster. */
export interface Roster {
  /** All members, by `identity_id`. Members who have not changed are the same objects as before. */
  readonly members: ReadonlyMap<string, GroupMember>;
  /** New members. In the first roster, all of them. */
  readonly joined: readonly GroupMember[];
  /** Former members, as last seen. */
  readonly left: readonly GroupMember[];
  /** Members whose handle or presence changed. */
  readonly updated: readonly GroupMember[];
  /**
   * Members that failed to decode. Absent if all decoded. They have neither left nor changed:
   * a member that was known before stays in `members`, as last seen.
   */
  readonly malformed?: readonly MalformedMember[];
}

/** The options of a roster. */
export interface RosterConfig extends Omit<WatchConfig<GroupMemberList>, NotForRosters> {
  /** The number of members per page. Some servers ignore it. Default 1,000. */
  readonly count?: number;
  /** How often the pages after the first one are refreshed, in ms. Default 60,000. */
  readonly refreshInterval?: number;
  /**
   * Shares the watches with others, or pauses them: `whileAlive` and `acrossTabs()` of
   * `lobby-rx/browser`.
   */
  readonly share?: WatchSharing;
}

/** The options that do not fit, since a roster is made of many answers. */
const NOT_FOR_ROSTERS = [
  'from',
  'ack',
  'indexOf',
  'read',
  'isState',
  'isOlder',
  'redelivers',
  'isGone',
] as const;
type NotForRosters = (typeof NOT_FOR_ROSTERS)[number];

const ROSTER_OPTIONS = {
  ...Object.fromEntries(
    Object.entries(WATCH_OPTIONS).filter(([name]) => !(NOT_FOR_ROSTERS as readonly string[]).includes(name)),
  ),
  count: positiveInteger,
  refreshInterval: milliseconds,
  share: aFunction,
} as unknown as Options<RosterConfig>;

/** The defaults of a roster. The fewer pages, the fewer requests. */
export const ROSTER_DEFAULTS = { count: 1_000, refreshInterval: 60_000 };

/** The rosters of a group, one for each change, and the gaps and the status of its watch. */
export function rosterSignals(
  context: ClientContext,
  group_id: string,
  config: RosterConfig = {},
): Observable<WatchSignal<Roster>> {
  checkOptions(config, ROSTER_OPTIONS);
  const { share, ...rest } = { ...ROSTER_DEFAULTS, ...definedOptions(config) };
  const watch$ = watchGroup(context, group_id, rest);
  const roster$ = defer(() => {
    let roster: Roster | undefined;
    const members$ = share
      ? answeredAtOnce(
          'share',
          share(() => watch$, { isState: true }),
          anObservable,
        )
      : watch$;
    return members$.pipe(
      concatMap((signal): readonly WatchSignal<Roster>[] => {
        if (signal.kind !== 'answer') return [signal];
        const before = roster;
        roster = nextRoster(before, signal.answer);
        return roster === before ? [] : [{ ...signal, answer: roster }];
      }),
    );
  });
  return unlessRendering(context, context.life.whileOpen(roster$));
}

/** The next roster from the members that are present. It is the same object if nothing changed. */
function nextRoster(
  before: Roster | undefined,
  { members: present, malformed }: Required<GroupEntries>,
): Roster {
  const known = before?.members ?? new Map<string, GroupMember>();
  const members = new Map<string, GroupMember>();
  const joined: GroupMember[] = [];
  const updated: GroupMember[] = [];
  for (const member of present) {
    const { identity_id } = member.identity;
    if (members.has(identity_id)) continue;
    const old = known.get(identity_id);
    // Members on pages that have not changed are the same objects.
    const isSame = old === member || (old !== undefined && jsonEqual(old, member));
    members.set(identity_id, isSame ? old : member);
    if (old === undefined) joined.push(member);
    else if (!isSame) updated.push(member);
  }
  const left: GroupMember[] = [];
  // Mostly no member has left, and a group may be large.
  if (members.size - joined.length < known.size) {
    for (const [id, member] of known) {
      if (!members.has(id)) left.push(member);
    }
  }
  const isSame = joined.length + left.length + updated.length === 0;
  if (before && isSame && jsonEqual(before.malformed ?? [], malformed)) return before;
  return { members, joined, left, updated, ...(malformed.length > 0 && { malformed }) };
}
