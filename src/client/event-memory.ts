import type { WatchData } from '../protocol/index.js';
import { jsonHash, textHash, type Recalled, type WatchMemory } from '../stream/index.js';

/** How many characters of answers to keep, of up to two bytes each. They are taken apart only if there is a reason to. */
const MAX_RECENT = 98_304;

/** What an answer takes besides its characters, in characters. */
const OVERHEAD = 64;

function sizeOf({ length }: string): number {
  return length + OVERHEAD;
}

/** How many answers to recognize, to tell that a server sends the same ones again and again. */
const MAX_KNOWN = 64;

/** At least so many single events are recognized, and at most twice as many. */
const MIN_HASHES = 3_500;

/** A list of events, decoded or as they are sent. */
export interface AnyEventList {
  readonly events: readonly unknown[];
  readonly watch: WatchData;
}

/** An answer as it came. */
interface Arrival {
  /** The text, without the index. */
  readonly body: string;
  /** Equal to that of an equal answer, and of no other: the body, or a hash of a large one, which is not kept. */
  readonly key: string | number;
  /** Equal to that of an equal answer, and hardly ever to that of another one. */
  readonly mark: number;
  /** The events on the wire, if they are not those of the text. */
  readonly events?: readonly unknown[];
}

/** How the answers arrived that have not been forgotten. */
const arrivals = new WeakMap<object, Arrival>();

/**
 * What has been delivered of the live events of an identity. An answer that is the same as the one before it, but for the index,
 * is a repetition. So is the beginning of an answer that goes on where the delivered events end: an index may come from a machine
 * whose clock is behind.
 *
 * Single events are compared only if the service has a reason to send them again: a player may well go online, away and online
 * again within one `ts`. Two events that are equal, including `ts`, are the same event then.
 */
export class EventMemory<List extends AnyEventList> implements WatchMemory<List> {
  readonly #decode: (wire: unknown) => List | undefined;
  readonly #recent: string[] = [];
  /** The hashes of single events, in order. Those of the recent answers are made only if they are needed. */
  #hashes: number[] = [];
  /** The marks of the last answers. */
  readonly #known: number[] = [];
  #last: { readonly key: string | number; readonly ts: unknown } | undefined;

  /** `decode` decodes a list of the wire. */
  constructor(decode: (wire: unknown) => List | undefined) {
    this.#decode = decode;
  }

  /** An answer has arrived, with the text it was decoded from. Answers are compared as they came. */
  arrived(answer: List, text: string): void {
    if (isIdle(answer)) return;
    const body = bodyOf(text);
    const key = sizeOf(body) > MAX_RECENT ? textHash(body) : body;
    arrivals.set(answer, { body, key, mark: markOf(body) });
  }

  recall(answer: List, mayBeReplay: boolean): Recalled<List> {
    const arrival = arrivals.get(answer);
    if (!arrival || isIdle(answer)) return { answer, isNews: true, isKnown: false };
    if (arrival.key === this.#last?.key)
      return { answer: withoutEvents(answer), isNews: false, isKnown: true };
    const isKnown = this.#known.includes(arrival.mark);
    const rest = mayBeReplay ? this.#withoutKnown(answer, arrival) : this.#withoutOverlap(answer, arrival);
    return { answer: rest, isNews: !isIdle(rest), isKnown: isKnown || isIdle(rest) };
  }

  commit(answer: List): void {
    const arrival = arrivals.get(answer);
    if (!arrival || isIdle(answer)) return;
    const { body, key, mark } = arrival;
    if (key === this.#last?.key) return;
    this.#last = { key, ts: timeOf(answer.events.at(-1)) };
    this.#known.push(mark);
    if (this.#known.length > MAX_KNOWN) this.#known.shift();
    this.#recent.push(body);
    if (sizeOf(body) > MAX_RECENT) this.#delivered();
    let size = this.#recent.reduce((sum, body) => sum + sizeOf(body), 0);
    while (size > MAX_RECENT) size -= sizeOf(this.#recent.shift()!);
  }

  commitParts(answer: List, count: number): void {
    const arrival = arrivals.get(answer);
    const events = arrival && (arrival.events ?? eventsIn(arrival.body));
    if (!events) return;
    this.#delivered();
    this.#addHashes(events.slice(0, this.#wireCount(events, count)));
  }

  #addHashes(events: readonly unknown[]): void {
    // One by one: spreading many as arguments would overflow the call stack.
    for (const event of events) this.#hashes.push(jsonHash(event));
    if (this.#hashes.length > 2 * MIN_HASHES) this.#hashes = this.#hashes.slice(-MIN_HASHES);
  }

  #delivered(): readonly number[] {
    for (const body of this.#recent.splice(0)) this.#addHashes(eventsIn(body));
    return this.#hashes;
  }

  #only(list: List, arrival: Arrival, events: readonly unknown[]): List {
    const rest = events.length === 0 ? withoutEvents(list) : this.#decode({ events, watch: list.watch });
    if (!rest) return list;
    arrivals.set(rest, { ...arrival, events });
    return rest;
  }

  #withoutKnown(list: List, arrival: Arrival): List {
    const known = new Set(this.#delivered());
    const events = eventsIn(arrival.body);
    const rest = events.filter(event => !known.has(jsonHash(event)));
    return rest.length === events.length ? list : this.#only(list, arrival, rest);
  }

  #withoutOverlap(list: List, arrival: Arrival): List {
    if (!list.events.some(event => timeOf(event) === this.#last?.ts)) return list;
    const events = eventsIn(arrival.body);
    const hashes = events.map(event => jsonHash(event));
    const count = overlap(this.#delivered(), hashes);
    return count === 0 ? list : this.#only(list, arrival, events.slice(count));
  }

  /** How many events on the wire have become this many: one with two kinds becomes two. */
  #wireCount(events: readonly unknown[], count: number): number {
    let decoded = 0;
    const end = events.findIndex(event => {
      decoded += this.#decode({ events: [event], watch: { index: '' } })?.events.length ?? 1;
      return decoded > count;
    });
    return end === -1 ? events.length : end;
  }
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
function timeOf(event: unknown): unknown {
  const { kind, raw, ts } = Object(event) as { kind?: unknown; raw?: unknown; ts?: unknown };
  return kind === 'malformed' ? (Object(raw) as { ts?: unknown }).ts : ts;
}

/** Whether an answer has no events: none came, or all of them had been delivered before. */
export function isIdle({ events }: { readonly events: readonly unknown[] }): boolean {
  return events.length === 0;
}

function withoutEvents<List extends { readonly events: readonly unknown[] }>(list: List): List {
  return { ...list, events: [] };
}

/** How much of both ends of an answer is looked at for its mark, in characters. */
const ENDS = 2_048;

/**
 * A quick mark of an answer, only to space out the polls of a server that sends the same ones again and again. Hashing all of a
 * large answer would take half as long as parsing it.
 */
function markOf(body: string): number {
  return textHash(
    body.length > 2 * ENDS ? `${body.length} ${body.slice(0, ENDS)}${body.slice(-ENDS)}` : body,
  );
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
