import type { IdentityEventList } from '../protocol/index.js';
import { jsonHash, type WatchMemory } from '../stream/index.js';

/** How many characters of answers to keep. They are taken apart only if there is a reason to. */
const MAX_RECENT = 65_536;

/** How many answers to recognize, to tell that a server sends the same ones again and again. */
const MAX_KNOWN = 64;

/** At least so many single events are recognized, and at most twice as many. */
const MIN_HASHES = 5_000;

/** What has been delivered of the live events of an identity. */
export interface EventMemory<List> extends WatchMemory<List> {
  /** An answer and the text it was decoded from. Answers are compared as they came. */
  readonly arrived: (answer: List, text: string) => void;
}

/** An answer as it came. */
interface Arrival {
  /** The text, without the index. */
  readonly body: string;
  /** The events on the wire, if they are not those of the text. */
  readonly events?: readonly unknown[];
}

/**
 * Remembers the events of a watch. An answer that is the same as the one before it, but for the index, is a repetition. So is
 * the beginning of an answer that goes on where the delivered events end: an index may come from a machine whose clock is behind.
 *
 * Single events are compared only if the service has a reason to send them again: a player may well go online, away and online
 * again within one `ts`. Two events that are equal, including `ts`, are the same event then. `decode` decodes a list of the wire.
 */
export function eventMemory<Own extends object>(
  decode: (wire: unknown) => IdentityEventList<Own> | undefined,
): EventMemory<IdentityEventList<Own>> {
  type List = IdentityEventList<Own>;
  const arrivals = new WeakMap<List, Arrival>();
  const recent: string[] = [];
  /** The hashes of single events, in order. Those of the recent answers are made only if they are needed. */
  let hashes: number[] = [];
  /** The hashes of the last answers. */
  const known: number[] = [];
  let last: { readonly key: string | number; readonly ts: unknown } | undefined;

  const addHashes = (events: readonly unknown[]) => {
    // One by one: spreading many as arguments would overflow the call stack.
    for (const event of events) hashes.push(jsonHash(event));
    if (hashes.length > 2 * MIN_HASHES) hashes = hashes.slice(-MIN_HASHES);
  };
  const delivered = () => {
    for (const body of recent.splice(0)) addHashes(eventsIn(body));
    return hashes;
  };
  const only = (list: List, body: string, events: readonly unknown[]): List => {
    const rest = events.length === 0 ? withoutEvents(list) : decode({ events, watch: list.watch });
    if (!rest) return list;
    arrivals.set(rest, { body, events });
    return rest;
  };
  const withoutKnown = (list: List, body: string): List => {
    const known = new Set(delivered());
    const events = eventsIn(body);
    const rest = events.filter(event => !known.has(jsonHash(event)));
    return rest.length === events.length ? list : only(list, body, rest);
  };
  const withoutOverlap = (list: List, body: string): List => {
    if (!list.events.some(event => timeOf(event) === last?.ts)) return list;
    const events = eventsIn(body);
    const count = overlap(
      delivered(),
      events.map(event => jsonHash(event)),
    );
    return count === 0 ? list : only(list, body, events.slice(count));
  };

  /** How many events on the wire have become this many: one with two kinds becomes two. */
  const wireCount = (events: readonly unknown[], count: number) => {
    let decoded = 0;
    const end = events.findIndex(event => {
      decoded += decode({ events: [event], watch: { index: '' } })?.events.length ?? 1;
      return decoded > count;
    });
    return end === -1 ? events.length : end;
  };

  return {
    arrived: (answer, text) => arrivals.set(answer, { body: bodyOf(text) }),
    recall: (answer, mayBeReplay) => {
      const body = arrivals.get(answer)?.body;
      if (body === undefined || isIdle(answer)) return { answer, isNews: true, isKnown: false };
      if (keyOf(body) === last?.key) return { answer: withoutEvents(answer), isNews: false, isKnown: true };
      const isKnown = known.includes(bodyHash(body));
      const rest = mayBeReplay ? withoutKnown(answer, body) : withoutOverlap(answer, body);
      return { answer: rest, isNews: !isIdle(rest), isKnown: isKnown || isIdle(rest) };
    },
    commit: answer => {
      const body = arrivals.get(answer)?.body;
      if (body === undefined || isIdle(answer)) return;
      const key = keyOf(body);
      if (key === last?.key) return;
      last = { key, ts: timeOf(answer.events.at(-1)!) };
      known.push(bodyHash(body));
      if (known.length > MAX_KNOWN) known.shift();
      recent.push(body);
      if (body.length > MAX_RECENT) delivered();
      let length = recent.reduce((sum, { length }) => sum + length, 0);
      while (length > MAX_RECENT) length -= recent.shift()!.length;
    },
    commitParts: (answer, count) => {
      const arrival = arrivals.get(answer);
      const events = arrival && (arrival.events ?? eventsIn(arrival.body));
      if (!events) return;
      delivered();
      addHashes(events.slice(0, wireCount(events, count)));
    },
  };
}

/** How many of the last delivered events are the first of these. */
function overlap(delivered: readonly number[], events: readonly number[]): number {
  for (let count = Math.min(delivered.length, events.length); count > 0; count--) {
    const start = delivered.length - count;
    if (events.slice(0, count).every((hash, i) => hash === delivered[start + i])) return count;
  }
  return 0;
}

/** When an event happened, in the format of the server; of a malformed one, whatever is in its place. */
function timeOf(event: { readonly kind: string; readonly ts?: unknown; readonly raw?: unknown }): unknown {
  return event.kind === 'malformed' ? (Object(event.raw) as { ts?: unknown }).ts : event.ts;
}

/** Whether an answer has no events: none came, or all of them had been delivered before. */
export function isIdle({ events }: { readonly events: readonly unknown[] }): boolean {
  return events.length === 0;
}

function withoutEvents<List extends { readonly events: readonly unknown[] }>(list: List): List {
  return { ...list, events: [] };
}

/** A large body is not kept, but only its hash. */
function keyOf(body: string): string | number {
  return body.length > MAX_RECENT ? jsonHash(body) : body;
}

/** A quick hash, only to space out polls. */
function bodyHash(body: string): number {
  let hash = body.length;
  for (let i = 0; i < body.length; i++)
    hash = Math.imul(hash ^ body.charCodeAt(i), 0x9e3779b1) ^ (hash >>> 15);
  return hash;
}

const WATCH = /"watch"\s*:\s*\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}/g;

/** The text of an answer without its watch data, which changes although nothing else does. It is JSON, too. */
function bodyOf(text: string): string {
  const matches = [...text.matchAll(WATCH)];
  for (const match of [matches.at(-1), matches[0]]) {
    if (!match) break;
    const head = text.slice(0, match.index);
    const tail = text.slice(match.index + match[0].length);
    const body = `${head}"watch":0${tail}`;
    // An event may have watch data of its own, deeper inside.
    if (/^\s*\}\s*$/.test(tail) || (json(body) as { watch?: unknown } | undefined)?.watch === 0) return body;
  }
  return text;
}

function eventsIn(body: string): readonly unknown[] {
  const { events } = Object(json(body)) as { events?: unknown };
  return Array.isArray(events) ? events : [];
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
