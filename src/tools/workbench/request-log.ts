import {
  BehaviorSubject,
  concat,
  concatMap,
  defer,
  EMPTY,
  finalize,
  map,
  merge,
  NEVER,
  of,
  take,
  tap,
  type Observable,
} from 'rxjs';
import {
  faultKinds,
  type EmulatedRequest,
  type EmulatedResponse,
  type Emulator,
  type Handler,
} from '../emulator/index.js';
import { eventsIn } from './events-in.js';
import type { SeenRequest } from './world-view.js';

/** A request, whose token tells who has sent it. */
export interface LoggedRequest {
  readonly token: string | undefined;
  readonly request: Omit<SeenRequest, 'who' | 'who_id'>;
  /** The beginning of its answer. */
  answer?: string;
  /** Nothing that is sent reaches its client any more. */
  isDead?: true;
  /** What the revision was when it changed last. */
  revision: number;
}

/** Ends all polls that are held. */
export interface Cut {
  /** As a fault. */
  readonly name: string;
  readonly response: EmulatedResponse;
}

/** How many requests are kept, besides those that are open; and how much of each answer. */
const MAX_REQUESTS = 1_000;
const KEPT_LETTERS = 4_000;
/** How many watches are known by their last answers. */
const MAX_WATCHES = 100;

/** The value of a field that is called a token, and a token of this emulator wherever it stands. */
const FIELD = /("[\w-]*token\w*"\s*:\s*(?:\{\s*"\w+"\s*:\s*)?")[^"\\]*(?:\\.[^"\\]*)*/gi;
const ISSUED = /\b(identity|lobby|player)\.(?:[\da-f]{32}|[\da-f]*$)/g;
export const withoutTokens = (text: string) => text.replace(FIELD, '$1…').replace(ISSUED, '$1.…');

/** Whether the client is left without an end of the answer, on an open connection. */
const isStalled = ({ delivery = 'whole' }: EmulatedResponse): boolean =>
  delivery.startsWith('stall') || delivery === 'dead_pool';

/** The index of an answer. It stands at the end, after what a program may have sent. */
function indexIn(body: string): string | undefined {
  const watch = body.slice(body.lastIndexOf('"watch":'));
  return /^"watch":\{"index":"([^"\\]*)"\}\}$/.exec(watch)?.[1];
}

/** What changes the world of an emulator, or what is planned in it. */
const COMMANDS = [
  ...(['addIdentity', 'befriend', 'updateProfile', 'updatePresence', 'publish'] as const),
  ...(['addGroup', 'join', 'leave', 'addLobby', 'reservePlayer', 'sendLobbyJoin'] as const),
  ...(['expireToken', 'renewToken', 'fault'] as const),
] satisfies (keyof Emulator)[];

/** Counts what happens in an emulator, and lists its requests: what a watch of it needs. */
export class RequestLog {
  /** Each change has another number. */
  readonly revision$ = new BehaviorSubject(1);
  readonly #now: () => number;
  readonly #log: LoggedRequest[] = [];
  /** The last answer to a watch, by token and path. */
  readonly #lastAnswers = new Map<string, string>();
  #count = 0;

  readonly #cut$: Observable<Cut>;

  constructor(now: () => number, cut$: Observable<Cut> = NEVER) {
    this.#now = now;
    this.#cut$ = cut$;
  }

  revise(): void {
    this.revision$.next(this.revision$.value + 1);
  }

  since(revision: number): readonly LoggedRequest[] {
    return this.#log.filter(entry => entry.revision > revision);
  }

  /** Without tokens. */
  answerOf(id: number): string | undefined {
    return this.#log.find(({ request }) => request.id === id)?.answer;
  }

  /** The same emulator, whose commands and requests are counted. */
  observed(emulator: Emulator, called: (fields: readonly unknown[]) => void = () => undefined): Emulator {
    const counted = COMMANDS.map(name => {
      const command = emulator[name] as (...fields: readonly unknown[]) => unknown;
      const run = (...fields: readonly unknown[]) => {
        called(fields);
        const result = command(...fields);
        this.revise();
        if (typeof result !== 'function') return result;
        // Withdraws what was planned.
        return () => {
          (result as () => void)();
          this.revise();
        };
      };
      return [name, run] as const;
    });
    const handle: Handler = request =>
      request.method === 'OPTIONS' ? emulator.handle(request) : this.#logged(emulator, request);
    return { ...emulator, ...Object.fromEntries(counted), handle };
  }

  #logged({ handle, faultCounts }: Emulator, request: EmulatedRequest): Observable<EmulatedResponse> {
    return defer(() => {
      const entry = this.#begin(request);
      const before = { ...faultCounts };
      /** The fault that has been taken from those that were planned, as the request came. */
      const taken = () => {
        const fault = faultKinds.find(kind => faultCounts[kind] !== before[kind]);
        if (fault && entry.request.fault === undefined) this.#change(entry, { fault });
      };
      // It is known once the request has been handled. An answer may come before that.
      let isKnown = false;
      const cut$ = (entry.request.is_poll ? this.#cut$ : NEVER).pipe(
        map(({ name, response }) => {
          this.#change(entry, { fault: name });
          return response;
        }),
      );
      const answer$ = merge(handle(request), cut$).pipe(
        take(1),
        concatMap(response => (isStalled(response) ? concat(of(response), NEVER) : of(response))),
        tap(response => {
          if (!isKnown) taken();
          this.#answered(entry, response);
        }),
      );
      const taken$ = defer(() => {
        isKnown = true;
        taken();
        return EMPTY;
      });
      return merge(answer$, taken$).pipe(
        finalize(() => {
          if (entry.request.ended_at === undefined) this.#change(entry, { ended_at: this.#now() });
        }),
      );
    });
  }

  #begin({ method, url, headers }: EmulatedRequest): LoggedRequest {
    const token = headers.authorization?.replace(/^Bearer /, '');
    const is_poll = /[?&]watch_index=|\/events\/live/.test(url);
    const path = withoutTokens(url);
    const entry: LoggedRequest = {
      token,
      request: { id: ++this.#count, method, path, is_poll, at: this.#now(), events: [], has_news: false },
      revision: 0,
    };
    this.#log.push(entry);
    if (this.#log.length > MAX_REQUESTS) {
      const oldest = this.#log.findIndex(({ request }) => request.ended_at !== undefined);
      if (oldest >= 0) this.#log.splice(oldest, 1);
    }
    this.#change(entry, {});
    return entry;
  }

  #answered(entry: LoggedRequest, response: EmulatedResponse): void {
    const { status, body, delivery = 'whole' } = response;
    if (delivery === 'dead_pool') {
      // So is what is pending on all other connections.
      for (const other of this.#open()) {
        other.isDead = true;
        this.#change(other, { fault: 'dead_pool' });
      }
    }
    if (entry.isDead || isStalled(response)) return;
    const isWhole = delivery === 'whole';
    // A slice would keep the whole text in memory.
    if (isWhole) entry.answer = withoutTokens(Buffer.from(body.slice(0, KEPT_LETTERS)).toString());
    const events = isWhole ? eventsIn(withoutTokens(body)) : [];
    const has_news = events.length > 0 || (isWhole && status === 200 && this.#isNews(entry, body));
    const next_index = isWhole && status === 200 ? indexIn(body) : undefined;
    const seen = { ended_at: this.#now(), status: isWhole ? status : 0, events, has_news };
    this.#change(entry, next_index === undefined ? seen : { ...seen, next_index });
  }

  /** Whether an answer to a watch differs from the last one, except for its index. */
  #isNews({ token, request: { path, is_poll } }: LoggedRequest, body: string): boolean {
    if (!body.includes('"watch"') || body.includes('"events"')) return false;
    const key = `${token} ${path.split('?')[0]}`;
    const text = body.replace(/"watch":\{[^}]*\}/, '');
    const last = this.#lastAnswers.get(key);
    this.#lastAnswers.set(key, text);
    if (this.#lastAnswers.size > MAX_WATCHES)
      this.#lastAnswers.delete(this.#lastAnswers.keys().next().value!);
    return is_poll && last !== text;
  }

  #open(): readonly LoggedRequest[] {
    return this.#log.filter(({ request }) => request.ended_at === undefined);
  }

  #change(entry: LoggedRequest, by: Partial<SeenRequest>): void {
    Object.assign(entry.request, by);
    entry.revision = this.revision$.value + 1;
    this.revise();
  }
}
