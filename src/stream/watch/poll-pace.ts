/** The service serves 1,920 polls from an address in windows of this length, in ms. */
const WINDOW = 900_000;

/** So many polls in a window are sent as fast as news comes. */
const FREE_POLLS = 1_500;

/** The interval between polls after that, in ms. */
const LIMITED_INTERVAL = 500;

/** So many polls may follow each other at once, without a turn for timers and the network in between. */
export const SOON_IN_A_ROW = 32;

/** How fast a watch polls. It guards against hot loops. */
export interface PollPace {
  /** Polls without news are ahead of their rate limit until this time, in ms since 1970. */
  readonly busyUntil: number;
  /** When the current window began, in ms since 1970, and how many polls have been sent in it. */
  readonly windowFrom: number;
  readonly polls: number;
}

/** What a poll leads to: how long to wait before the next one, in ms, and the pace from then on. */
export interface PaceTurn {
  readonly wait: number;
  readonly pace: PollPace;
}

/** The pace at the start. */
export function freshPace(now: number): PollPace {
  return { busyUntil: now, windowFrom: now, polls: 0 };
}

/**
 * After a poll without news: each such poll moves `busyUntil` ahead by `minInterval`; a `burst` of polls may run ahead of the
 * clock.
 */
export function paceWithoutNews(
  before: PollPace,
  now: number,
  { minInterval, burst }: { readonly minInterval: number; readonly burst: number },
): PaceTurn {
  // The upper bound is for a clock that was set back, which must not cause a wait of hours.
  const from = Math.min(Math.max(before.busyUntil, now), now + burst * minInterval);
  return {
    wait: Math.max(0, from - (burst - 1) * minInterval - now),
    pace: { ...counted(before, now), busyUntil: from + minInterval },
  };
}

/** After a poll with news that was sent at `askedAt`: the next one may follow at once, until there have been very many. */
export function paceWithNews(before: PollPace, now: number, askedAt: number): PaceTurn {
  const pace = counted(before, now);
  const isLimited = pace.polls > FREE_POLLS;
  // As above, for a clock that was set back.
  const rest = Math.min(askedAt + LIMITED_INTERVAL - now, LIMITED_INTERVAL);
  return { wait: isLimited ? Math.max(0, rest) : 0, pace };
}

function counted(pace: PollPace, now: number): PollPace {
  const isOver = now - pace.windowFrom >= WINDOW || now < pace.windowFrom;
  return isOver ? { ...pace, windowFrom: now, polls: 1 } : { ...pace, polls: pace.polls + 1 };
}

/** A wait before a poll, in ms. A wake may shorten it, but not to less than `least`. */
export interface Rest {
  /** When it began, in ms since 1970. */
  readonly since: number;
  readonly wait: number;
  readonly least: number;
}

/** How much of a rest is left, in ms. If the clock was set back, it is not more than before. */
export function restLeft({ since, wait, least }: Rest, now: number): Pick<Rest, 'wait' | 'least'> {
  const left = (ms: number) => Math.max(0, Math.min(ms, since + ms - now));
  return { wait: left(wait), least: left(least) };
}

/** A wait that begins now. A wake may not shorten it to less than `least`. */
export function restAfter(now: number, wait: number, least = wait): Rest {
  return { since: now, wait, least };
}
