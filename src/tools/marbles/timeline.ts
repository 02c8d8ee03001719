import type { LogEntry } from '../../client/index.js';
import { ChangedItems } from './changed-items.js';
import type { Item, Row } from './item.js';
import { endInWords, toneOf } from './request-end.js';
import { Track } from './track.js';

/** An event, as a feed emits it. Only its kind is shown, because a payload may have secrets. */
export interface EventOfKind {
  readonly kind: string;
  /** The real name of a kind that is `unknown`. */
  readonly name?: string;
}

/** The entries of one watch, and its events. */
export interface NamedWatch {
  /** The `log` option of the watch. The row of the watch gets the name. */
  readonly log: (entry: LogEntry) => void;
  /** Draws an event in the row. */
  readonly event: (event: EventOfKind) => void;
}

type RequestEntry = Extract<LogEntry, { requestId: number }>;

/** Makes rows and items from the log of a client, in the order of time. */
export class Timeline {
  readonly #now: () => number;
  readonly #items = new ChangedItems();
  readonly #rows: Row[] = [];
  readonly #tracks = new Map<number, Track>();
  /** The open requests that belong to no watch. */
  readonly #calls = new Map<string, Item>();
  #callRow: Row | undefined;
  #lastAnswered: Track | undefined;
  #lastMarble: Item | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  get rows(): readonly Row[] {
    return this.#rows;
  }

  readonly log = (entry: LogEntry): void => void this.#log(entry);

  readonly event = (event: EventOfKind): void =>
    this.#addMarble(event, this.#lastAnswered?.row ?? this.#rowOfCalls());

  readonly watch = (name: string): NamedWatch => {
    let track: Track | undefined;
    return {
      log: entry => {
        track = this.#log(entry);
        if (track) track.row.name = name;
      },
      event: event => {
        if (!track && this.#lastAnswered) {
          track = this.#lastAnswered;
          track.row.name = name;
        }
        if (track) this.#addMarble(event, track.row);
      },
    };
  };

  /** The items that have changed since the last call. */
  changes(): ReadonlySet<Item> {
    return this.#items.take();
  }

  /** Returns the track of the watch if the entry is a decision of a watch. */
  #log(entry: LogEntry): Track | undefined {
    if ('requestId' in entry) {
      if (entry.pollOf === undefined) this.#onCall(entry);
      else this.#onPoll(this.#trackOf(entry.pollOf), entry);
      return undefined;
    }
    // The end of the poll reports it, too.
    if (!('watchId' in entry)) return undefined;
    const track = this.#trackOf(entry.watchId);
    if (entry.kind === 'poll_end') track.decided(entry);
    else if (entry.kind === 'status') track.status(entry);
    else if (entry.kind === 'gap') track.gap(entry);
    return track;
  }

  #onPoll(track: Track, entry: RequestEntry): void {
    const { row } = track;
    // A watch without a name is named by what it polls.
    if (row.name === String(entry.pollOf)) row.name = `${row.name} ${pathOf(entry)}`;
    if (entry.kind === 'request') track.pollBegins(entry);
    else if (track.pollEnds(entry)) this.#lastAnswered = track;
  }

  #onCall(entry: RequestEntry): void {
    // Two clients may use the same request id.
    const key = `${entry.requestId} ${entry.method} ${entry.url}`;
    if (entry.kind === 'request') {
      const text = `${entry.method} ${pathOf(entry)}`;
      const call = this.#items.add(this.#rowOfCalls(), 'poll', entry.at, { tone: 'first', text });
      this.#calls.set(key, call);
      return;
    }
    const call = this.#calls.get(key);
    this.#calls.delete(key);
    if (!call) return;
    const text = `${call.text}; ${endInWords(entry)}`;
    this.#items.change(call, { to: entry.at, tone: toneOf(entry), text });
  }

  #addMarble({ kind, name = kind }: EventOfKind, row: Row): void {
    const at = this.#now();
    const last = this.#lastMarble;
    this.#lastMarble = this.#items.add(row, 'marble', at, {
      to: at,
      tone: kind,
      letter: String.fromCodePoint(name.codePointAt(0) ?? 32).toUpperCase(),
      text: name.replaceAll('_', ' '),
      nth: last?.row === row && last.from === at ? last.nth + 1 : 0,
    });
  }

  #trackOf(watchId: number): Track {
    const known = this.#tracks.get(watchId);
    if (known) return known;
    const track = new Track(this.#addRow(String(watchId)), this.#items);
    this.#tracks.set(watchId, track);
    return track;
  }

  #rowOfCalls(): Row {
    this.#callRow ??= this.#addRow('requests');
    return this.#callRow;
  }

  #addRow(name: string): Row {
    const row = { order: this.#rows.length, name };
    this.#rows.push(row);
    return row;
  }
}

const pathOf = ({ url }: RequestEntry) => new URL(url).pathname;

declare const URL: new (url: string) => { readonly pathname: string };
