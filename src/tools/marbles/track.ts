import type { LogEntry } from '../../client/index.js';
import type { ChangedItems } from './changed-items.js';
import type { Item, Row } from './item.js';
import { SIGNS } from './legend.js';
import { endInWords, inSeconds, messageOf, toneOf, type RequestEnd } from './request-end.js';

/** A status in words, where the words differ from its name. */
const LINES: Readonly<Record<string, string>> = {
  idle: 'left by its last subscriber',
  closed: 'the watch has ended',
};

/** Draws the work of one watch into its row. */
export class Track {
  readonly row: Row;
  readonly #items: ChangedItems;
  #state = '';
  #line: Item | undefined;
  #poll: Item | undefined;
  #wait: Item | undefined;
  /** When the last answer with an index arrived. */
  #indexAt: number | undefined;

  constructor(row: Row, items: ChangedItems) {
    this.row = row;
    this.#items = items;
  }

  /** Draws the status from now on. */
  status({ at, status }: Extract<LogEntry, { kind: 'status' }>): void {
    const { state } = status;
    if (this.#state === state) return;
    this.#items.change(this.#line, { to: at });
    this.#state = state;
    this.#line = this.#items.add(this.row, 'line', at, { tone: state, text: LINES[state] ?? state });
  }

  pollBegins({ at, url }: Extract<LogEntry, { kind: 'request' }>): void {
    if (this.#wait && (this.#wait.to ?? at) > at) this.#items.change(this.#wait, { to: at });
    const index = new URL(url).searchParams.get('watch_index');
    const age = this.#indexAt === undefined ? '' : `, ${inSeconds(at - this.#indexAt)} old`;
    this.#poll = this.#items.add(this.row, 'poll', at, {
      tone: index === null ? 'first' : 'open',
      letter: index === null ? '' : index + age,
      text: index === null ? 'poll from now' : `poll from index ${index}${age}`,
    });
  }

  /** Returns whether the answer may have had events. */
  pollEnds(entry: RequestEnd): boolean {
    const { at } = entry;
    const poll = this.#poll;
    if (!poll) return false;
    this.#items.change(poll, { to: at, tone: toneOf(entry), text: `${poll.text}; ${endInWords(entry)}` });
    if (entry.kind !== 'answer' || entry.status !== 200) return false;
    this.#indexAt = at;
    return true;
  }

  /** Draws what the watch has decided at the end of a poll. */
  decided({ at, why, wait, attempt, error }: Extract<LogEntry, { kind: 'poll_end' }>): void {
    // These two do not describe the answer of the poll.
    if (why !== 'ended' && why !== 'ack_failed') this.#items.change(this.#poll, { tone: why });
    this.#poll = undefined;
    const [letter, text] = SIGNS[why] ?? [];
    if (letter) this.#sign(at, why, letter, `${text}${messageOf(error)}`);
    if (wait === 0) return;
    const after = attempt > 0 ? `, after ${attempt} ${attempt === 1 ? 'failure' : 'failures'}` : '';
    this.#wait = this.#items.add(this.row, 'wait', at, {
      to: at + wait,
      tone: why,
      text: `waits for ${inSeconds(wait)}${after}`,
    });
  }

  gap({ at, reason }: Extract<LogEntry, { kind: 'gap' }>): void {
    this.#sign(at, 'gap', SIGNS.gap![0], `gap: ${reason}`);
  }

  #sign(at: number, tone: string, letter: string, text: string): void {
    this.#items.add(this.row, 'sign', at, { to: at, tone, letter, text });
  }
}

declare const URL: new (url: string) => {
  readonly searchParams: { get(name: string): string | null };
};
