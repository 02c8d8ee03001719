/** The clients that are compared. `watch over node:http` is `watch` with `fromHttp()`. */
export const PEERS = [
  'watch',
  'watch over node:http',
  '@electric-sql/client',
  '@durable-streams/client',
] as const;
export type Peer = (typeof PEERS)[number];

/** Which server a client speaks to. */
export type Wire = 'watch' | 'electric' | 'durable';

export const WIRES: Readonly<Record<Peer, Wire>> = {
  watch: 'watch',
  'watch over node:http': 'watch',
  '@electric-sql/client': 'electric',
  '@durable-streams/client': 'durable',
};

/** An entry of a log. */
export type Entry = Readonly<Record<string, string>>;

/** What a request asks for. */
export interface Question {
  /** From which place of the log on; `undefined`: where is its end? */
  readonly from: number | undefined;
  /** Whether it is to be held while there is nothing new. */
  readonly isHeld: boolean;
  /** Which log the client believes that it follows, if it says so. */
  readonly handle: string | undefined;
}

/** A part of a log, as it is answered. */
export interface Part {
  readonly entries: readonly Entry[];
  /** The place after it. */
  readonly next: number;
  readonly handle: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * How a server of a kind reads requests and writes answers. `end`: the place after the last entry.
 */
interface Language {
  question(query: URLSearchParams, end: number): Question;
  answer(part: Part, question: Question): Answer;
  /** What it answers to a place that it no longer has. */
  gone(handle: string): Answer;
}

const JSON_TYPE = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** A cursor, which is for caches, changes every 20 s. */
function cursorNow(): string {
  return String(Math.floor(Date.now() / 20_000));
}

/** An API as one writes it for `watch`: the index, and the handle of the log, are in the answer. */
const watch: Language = {
  question: query => {
    const since = query.get('since');
    return { from: since === null ? undefined : Number(since), isHeld: since !== null, handle: undefined };
  },
  answer: ({ entries, next, handle }) => {
    const text = JSON.stringify({ entries, watch: { index: String(next), log: handle } });
    return { status: 200, headers: JSON_TYPE, text };
  },
  gone: () => ({ status: 410, headers: JSON_TYPE, text: '{"code":"GONE"}' }),
};

/** A stand-in for the long polls of Durable Streams, after its protocol. */
const durable: Language = {
  question: query => {
    const offset = query.get('offset');
    const isNow = offset === null || offset === 'now';
    const from = offset === '-1' ? 0 : Number(offset?.split('_')[1]);
    return {
      from: isNow ? undefined : from,
      isHeld: !isNow && query.get('live') === 'long-poll',
      handle: undefined,
    };
  },
  answer: ({ entries, next }, { isHeld }) => {
    const headers = {
      'stream-next-offset': `${'0'.repeat(16)}_${String(next).padStart(16, '0')}`,
      'stream-up-to-date': 'true',
      'cache-control': 'no-store',
      ...(isHeld && { 'stream-cursor': cursorNow() }),
    };
    if (isHeld && entries.length === 0) return { status: 204, headers, text: '' };
    return { status: 200, headers: { ...headers, ...JSON_TYPE }, text: JSON.stringify(entries) };
  },
  gone: () => ({ status: 410, headers: { 'content-type': 'text/plain' }, text: 'Stream is gone' }),
};

/** A stand-in for Electric, after what its client asks for and checks: each entry is a row. */
const electric: Language = {
  question: query => {
    const offset = query.get('offset');
    const from = offset === '-1' ? 0 : Number(offset?.split('_')[0]);
    const handle = query.get('handle') ?? undefined;
    return { from: offset === 'now' ? undefined : from, isHeld: query.get('live') === 'true', handle };
  },
  answer: ({ entries, next, handle }, { isHeld }) => {
    const rows = entries.map(value => ({
      key: `"public"."events"/"${value.n}"`,
      value,
      headers: { operation: 'insert', relation: ['public', 'events'] },
    }));
    const upToDate = { headers: { control: 'up-to-date', global_last_seen_lsn: String(next) } };
    const headers = {
      ...JSON_TYPE,
      'electric-handle': handle,
      'electric-offset': `${next}_0`,
      'electric-up-to-date': '',
      ...(isHeld
        ? { 'electric-cursor': cursorNow() }
        : { 'electric-schema': '{"n":{"type":"text"},"at":{"type":"text"},"text":{"type":"text"}}' }),
    };
    return { status: 200, headers, text: JSON.stringify([...rows, upToDate]) };
  },
  gone: handle => {
    const headers = { ...JSON_TYPE, 'electric-handle': handle };
    return { status: 409, headers, text: '[{"headers":{"control":"must-refetch"}}]' };
  },
};

export const LANGUAGES: Readonly<Record<Wire, Language>> = { watch, durable, electric };
