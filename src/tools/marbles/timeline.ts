import type { LogEntry } from '../../client/index.js';
import { HELD_MS } from '../../error/index.js';
import type { Item, Row } from './item.js';
import { SIGNS } from './legend.js';

/** An event, as a feed emits it. Nothing but its kind is shown: a payload may have secrets. */
export interface EventOfKind {
  readonly kind: string;
  /** What a kind is called that is `unknown`. */
  readonly name?: string;
}

/** What is known of a watch. */
interface Track {
  readonly row: Row;
  state: string;
  line?: Item;
  poll?: Item;
  wait?: Item;
  /** When its index came. */
  indexAt?: number;
}

/** The entries of one watch, and its events. */
export interface NamedWatch {
  /** The `log` of the watch: its row gets the name. */
  readonly log: (entry: LogEntry) => void;
  /** Draws an event in the row. */
  readonly event: (event: EventOfKind) => void;
}

/** So many changes are kept for a picture that is not drawn, since its page is hidden. */
const MOST = 5_000;

/** What a status is in words, where it is another word. */
const LINES: Readonly<Record<string, string>> = {
  paused: 'left by its last subscriber',
  ended: 'the watch has ended',
};

/** Makes rows and items of what a client logs, in the order of time. */
export function createTimeline(now: () => number) {
  const rows: Row[] = [];
  const tracks = new Map<number, Track>();
  const calls = new Map<string, Item>();
  let callRow: Row | undefined;
  let lastAnswered: Track | undefined;
  let lastMarble: Item | undefined;
  let changed = new Set<Item>();

  const addRow = (name: string) => {
    const row = { order: rows.length, name };
    rows.push(row);
    return row;
  };
  const add = (row: Row, shape: Item['shape'], from: number, rest: Partial<Item>) => {
    const item: Item = { row, shape, from, to: undefined, tone: '', letter: '', text: '', nth: 0, ...rest };
    changed.add(item);
    if (changed.size > MOST) forgetOldest();
    return item;
  };
  /** What goes on has to be drawn, however long ago it began. */
  const forgetOldest = () => {
    for (const oldest of changed) {
      if (oldest.to === undefined) continue;
      changed.delete(oldest);
      return;
    }
  };
  const change = (item: Item | undefined, by: Partial<Pick<Item, 'to' | 'tone' | 'text'>>) => {
    if (item) changed.add(Object.assign(item, by));
  };
  const trackOf = (watchId: number, name: string) => {
    const known = tracks.get(watchId);
    if (known) return known;
    const track: Track = { row: addRow(name), state: '' };
    tracks.set(watchId, track);
    return track;
  };
  const setState = (track: Track, state: string, at: number) => {
    if (track.state === state) return;
    change(track.line, { to: at });
    track.state = state;
    track.line = add(track.row, 'line', at, { tone: state, text: LINES[state] ?? state });
  };
  /** A watch is live once the service holds its poll, whether or not anybody looked just then. */
  const settle = (track: Track, at: number) => {
    if (track.poll?.tone !== 'open') return;
    const heldAt = track.poll.from + HELD_MS;
    if (at >= heldAt) setState(track, 'live', heldAt);
  };

  const onPoll = (track: Track, entry: Extract<LogEntry, { requestId: number }>) => {
    const { at } = entry;
    settle(track, at);
    if (entry.kind === 'request') {
      if (track.wait && (track.wait.to ?? at) > at) change(track.wait, { to: at });
      if (['', 'paused', 'ended'].includes(track.state)) setState(track, 'connecting', at);
      const index = new URL(entry.url).searchParams.get('watch_index');
      const age = track.indexAt === undefined ? '' : `, ${inSeconds(at - track.indexAt)} old`;
      const text = index === null ? 'poll from now' : `poll from index ${index}${age}`;
      const tone = index === null ? 'first' : 'open';
      track.poll = add(track.row, 'poll', at, { tone, letter: index === null ? '' : index + age, text });
      return;
    }
    const { poll } = track;
    if (!poll) return;
    change(poll, { to: at, tone: toneOf(entry), text: `${poll.text}; ${outcomeOf(entry)}` });
    if (entry.kind !== 'answer' || entry.status !== 200) return;
    track.indexAt = at;
    lastAnswered = track;
    setState(track, 'live', at);
  };
  const onCall = (entry: Extract<LogEntry, { requestId: number }>) => {
    // Several clients may count their requests.
    const key = `${entry.requestId} ${entry.method} ${entry.url}`;
    if (entry.kind === 'request') {
      callRow ??= addRow('requests');
      const text = `${entry.method} ${new URL(entry.url).pathname}`;
      calls.set(key, add(callRow, 'poll', entry.at, { tone: 'first', text }));
      return;
    }
    const call = calls.get(key);
    calls.delete(key);
    if (call) change(call, { to: entry.at, tone: toneOf(entry), text: `${call.text}; ${outcomeOf(entry)}` });
  };
  const onTurn = (track: Track, entry: Extract<LogEntry, { kind: 'poll_end' }>) => {
    const { at, why, wait, attempt, error } = entry;
    settle(track, at);
    const [letter, text] = SIGNS[why] ?? [];
    // These say nothing of its answer.
    if (why !== 'ended' && why !== 'ack_failed') change(track.poll, { tone: why });
    delete track.poll;
    if (letter) add(track.row, 'sign', at, { to: at, tone: why, letter, text: `${text}${messageOf(error)}` });
    if (why === 'ended' || why === 'paused') setState(track, why, at);
    if (why === 'failed' || why === 'retry_after') {
      const isOffline = (error as { reason?: unknown } | undefined)?.reason === 'unreachable';
      setState(track, isOffline ? 'offline' : 'retrying', at);
    }
    if (wait === 0) return;
    const after = attempt > 0 ? `, after ${attempt} ${attempt === 1 ? 'failure' : 'failures'}` : '';
    track.wait = add(track.row, 'wait', at, {
      to: at + wait,
      tone: why,
      text: `waits for ${inSeconds(wait)}${after}`,
    });
  };
  const log = (entry: LogEntry, name?: string): Track | undefined => {
    if ('requestId' in entry) {
      if (entry.pollOf === undefined) onCall(entry);
      else onPoll(trackOf(entry.pollOf, `${entry.pollOf} ${new URL(entry.url).pathname}`), entry);
      return undefined;
    }
    // The end of its poll says so, too.
    if (!('watchId' in entry)) return undefined;
    const track = trackOf(entry.watchId, String(entry.watchId));
    if (name !== undefined) track.row.name = name;
    if (entry.kind === 'poll_end') onTurn(track, entry);
    else
      add(track.row, 'sign', entry.at, {
        to: entry.at,
        tone: 'gap',
        letter: SIGNS.gap![0],
        text: `gap: ${entry.reason}`,
      });
    return track;
  };
  const event = ({ kind, name = kind }: EventOfKind, row: Row) => {
    const at = now();
    const isNext = lastMarble?.row === row && lastMarble.from === at;
    lastMarble = add(row, 'marble', at, {
      to: at,
      tone: kind,
      letter: String.fromCodePoint(name.codePointAt(0) ?? 32).toUpperCase(),
      text: name.replaceAll('_', ' '),
      nth: isNext ? lastMarble!.nth + 1 : 0,
    });
  };

  return {
    rows: rows as readonly Row[],
    log: (entry: LogEntry) => void log(entry),
    event: (one: EventOfKind) => {
      if (!lastAnswered) callRow ??= addRow('requests');
      event(one, lastAnswered?.row ?? callRow!);
    },
    watch: (name: string): NamedWatch => {
      let track: Track | undefined;
      return {
        log: entry => {
          track = log(entry, name);
        },
        event: one => {
          if (!track && lastAnswered) {
            track = lastAnswered;
            track.row.name = name;
          }
          if (track) event(one, track.row);
        },
      };
    },
    /** What has changed since the last call. */
    changes: (): ReadonlySet<Item> => {
      const at = now();
      for (const track of tracks.values()) settle(track, at);
      const changes = changed;
      changed = new Set();
      return changes;
    },
  };
}

type RequestEnd = Exclude<Extract<LogEntry, { requestId: number }>, { kind: 'request' }>;

function toneOf(entry: RequestEnd): string {
  if (entry.kind !== 'answer') return entry.kind === 'abort' ? 'paused' : 'failed';
  return entry.status < 300 ? 'no_news' : 'failed';
}

function outcomeOf(entry: RequestEnd): string {
  const after = `after ${inSeconds(entry.ms)}`;
  if (entry.kind === 'answer') return `${entry.status} ${after}`;
  return entry.kind === 'abort' ? `aborted ${after}` : `failed ${after}${messageOf(entry.error)}`;
}

/** Errors of this library contain no secrets. Of others, nothing is shown. */
function messageOf(error: unknown): string {
  const { _tag, message } = Object(error) as { readonly _tag?: unknown; readonly message?: unknown };
  return typeof _tag === 'string' && typeof message === 'string' ? `: ${message}` : '';
}

const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

declare const URL: new (url: string) => {
  readonly pathname: string;
  readonly searchParams: { get(name: string): string | null };
};
