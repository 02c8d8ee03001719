import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LANGUAGES, type Answer, type Entry, type Question, type Wire } from './peers-protocol.js';

/** What is wrong with the server, or with the way to it. */
export type Fault =
  | 'reset'
  | '500'
  | '429, seconds'
  | '429, a date'
  | '404 page'
  | '200 page'
  | '401'
  | 'half a body'
  | 'empty at once'
  | 'no answer'
  | 'history is gone'
  | 'counts from 0'
  | 'stuck cache';

/** How long a poll without news is held, in ms. */
const HELD_MS = 2_000;
/** What a 429 asks for, in s. */
const RETRY_AFTER_S = 3;
/** How many answers break off. */
const BROKEN = 3;

const HTML = { 'content-type': 'text/html' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** A server of one log for one client, which has a fault for a time. It counts the requests. */
export class StandIn {
  readonly requestTimes: number[] = [];
  /** The only token that it takes while its fault is a `401`. */
  readonly token = 'new';
  readonly #wire: Wire;
  #fault: Fault | undefined;
  #log: Entry[] = [];
  #handle = 'log-1';
  /** Before this place there is no history. */
  #keptFrom = 0;
  #broken = 0;
  #swallowed = 0;
  readonly #waiting = new Set<() => void>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Resolves to its URL. */
  async start(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/log`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  append(...numbers: readonly number[]): void {
    for (const n of numbers) this.#log.push({ n: String(n) });
    this.#release();
  }

  begin(fault: Fault): void {
    this.#fault = fault;
    this.#broken = 0;
    this.#swallowed = 0;
    if (fault !== 'history is gone' && fault !== 'counts from 0') return;
    this.#handle = 'log-2';
    if (fault === 'counts from 0') this.#log = [];
    else this.#keptFrom = this.#log.length + 2;
    this.#release();
  }

  /** What has happened to the log stays so. */
  end(): void {
    if (this.#fault !== 'history is gone' && this.#fault !== 'counts from 0') this.#fault = undefined;
  }

  #release(): void {
    for (const release of this.#waiting) release();
    this.#waiting.clear();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requestTimes.push(performance.now());
    const fault = this.#fault;
    if (fault === 'reset') {
      request.socket.destroy();
      return;
    }
    if (fault === 'no answer' && this.#swallowed === 0) {
      this.#swallowed++;
      return;
    }
    const refusal = this.#refusal(fault, request);
    if (refusal) {
      send(response, refusal);
      return;
    }
    const query = new URL(request.url ?? '/', 'http://stand-in').searchParams;
    const question = LANGUAGES[this.#wire].question(query, this.#log.length);
    const answer = await this.#answer(question, fault);
    if (fault === 'half a body' && this.#broken < BROKEN && this.#hasNews(question)) {
      this.#broken++;
      breakOff(response, answer);
      return;
    }
    send(response, answer);
  }

  /** What comes instead of any answer. */
  #refusal(fault: Fault | undefined, request: IncomingMessage): Answer | undefined {
    switch (fault) {
      case '500':
        return { status: 500, headers: { 'content-type': 'text/plain' }, text: 'out of order' };
      case '429, seconds':
        return { status: 429, headers: { ...JSON_TYPE, 'retry-after': String(RETRY_AFTER_S) }, text: '{}' };
      case '429, a date': {
        // A date has no fractions of a second.
        const date = new Date(Date.now() + (RETRY_AFTER_S + 1) * 1_000).toUTCString();
        return { status: 429, headers: { ...JSON_TYPE, 'retry-after': date }, text: '{}' };
      }
      case '404 page':
        return { status: 404, headers: HTML, text: '<html>not found' };
      case '200 page':
        return { status: 200, headers: HTML, text: '<html>sign in' };
      case '401':
        if (request.headers.authorization === `Bearer ${this.token}`) return undefined;
        return { status: 401, headers: JSON_TYPE, text: '{"code":"EXPIRED"}' };
      default:
        return undefined;
    }
  }

  async #answer(question: Question, fault: Fault | undefined): Promise<Answer> {
    const language = LANGUAGES[this.#wire];
    // What is held now is answered in the name of this log.
    const handle = this.#handle;
    if (this.#isGone(question, fault)) return language.gone(handle);
    let from = question.from ?? this.#log.length;
    const isCached = fault === 'stuck cache' && from >= CACHED_FROM && question.isHeld;
    if (isCached) from = CACHED_FROM - 1;
    const isAtOnce = fault === 'empty at once' || isCached || this.#log.length > from;
    if (question.isHeld && !isAtOnce) await this.#somethingNew();
    const to = isCached ? Math.min(CACHED_FROM, this.#log.length) : this.#log.length;
    const entries = fault === 'empty at once' ? [] : this.#log.slice(from, to);
    // A place beyond the end stays where it is: the log may grow up to it.
    const next = fault === 'empty at once' ? from : Math.max(from, to);
    return language.answer({ entries, next, handle }, question);
  }

  #isGone({ from, handle }: Question, fault: Fault | undefined): boolean {
    if (from === undefined || from === 0) return false;
    // Electric has the handle in each request.
    const isOther = this.#wire === 'electric' && handle !== this.#handle;
    return isOther || (fault === 'history is gone' && from < this.#keptFrom);
  }

  #hasNews({ from }: Question): boolean {
    return from !== undefined && from < this.#log.length;
  }

  #somethingNew(): Promise<void> {
    return new Promise(resolve => {
      const release = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(release);
        resolve();
      }, HELD_MS);
      this.#waiting.add(release);
    });
  }
}

/** A stuck cache has the answer with the entry before this place. */
const CACHED_FROM = 6;

function send(response: ServerResponse, { status, headers, text }: Answer): void {
  if (response.destroyed) return;
  response.writeHead(status, headers);
  response.end(text);
}

/** Half of the answer comes, then the connection is closed. */
function breakOff(response: ServerResponse, { status, headers, text }: Answer): void {
  response.writeHead(status, { ...headers, 'content-length': text.length });
  response.write(text.slice(0, text.length >> 1));
  setTimeout(() => response.destroy(), 30);
}
