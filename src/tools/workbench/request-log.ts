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
import { readAnswer } from './read-answer.js';
import { withoutTokens } from './without-tokens.js';
import type { SeenRequest } from './world-view.js';

/** A request, with the token by which its sender is known. */
export interface LoggedRequest {
  readonly token: string | undefined;
  readonly request: Omit<SeenRequest, 'who' | 'who_id'>;
  /** Its own body, which may contain tokens. */
  readonly sent: string | undefined;
  /** The beginning of its answer. */
  answer?: string;
  /** Whether its connection is dead. No answer reaches its client any more. */
  isDead?: true;
  /** The revision of its last change. */
  revision: number;
}

/** The end of all polls that are held. */
export interface Cut {
  /** The name under which it appears as a fault. */
  readonly name: string;
  readonly response: EmulatedResponse;
  /** The action that ends them. */
  readonly cause: number;
}

/** What the actions of people tell the log. */
export interface Causes {
  /** Called with the arguments of each call of the emulator. */
  readonly called: (name: string, fields: readonly unknown[]) => void;
  /** The action that planned the last fault of this kind. `undefined` if no action did. */
  readonly ofFault: (kind: string) => number | undefined;
  /** The action that let a token expire. */
  readonly ofExpiry: (token: string | undefined) => number | undefined;
}

/** What is known of an answer that has not arrived whole. */
const NOT_READ = { events: [] } as const;

const NO_CAUSES: Causes = {
  called: () => undefined,
  ofFault: () => undefined,
  ofExpiry: () => undefined,
};

/** How many requests are kept, besides those that are open. */
const MAX_REQUESTS = 1_000;
/** How many letters of an answer are kept. */
const KEPT_LETTERS = 4_000;
/** For how many watches the last answer is kept. */
const MAX_WATCHES = 100;

/** Whether the answer does not end while its connection stays open. */
const isStalled = ({ delivery = 'whole' }: EmulatedResponse): boolean =>
  delivery.startsWith('stall') || delivery === 'dead_pool';

function causedBy(cause: number | undefined): { readonly cause?: number } {
  return cause === undefined ? {} : { cause };
}

/** The functions that change the world of an emulator, or its planned faults. */
const COMMANDS = [
  'addIdentity',
  'befriend',
  'updateProfile',
  'updatePresence',
  'publish',
  'addGroup',
  'join',
  'leave',
  'addLobby',
  'reservePlayer',
  'sendLobbyJoin',
  'expireToken',
  'renewToken',
  'fault',
] as const satisfies readonly (keyof Emulator)[];

/** Counts the changes of an emulator and lists its requests. A watch of the page needs both. */
export class RequestLog {
  readonly revision$ = new BehaviorSubject(1);
  readonly #now: () => number;
  readonly #log: LoggedRequest[] = [];
  /** The last answer to a watch, by token and path. */
  readonly #lastAnswers = new Map<string, string>();
  #count = 0;
  readonly #cut$: Observable<Cut>;
  readonly #causes: Causes;

  constructor(now: () => number, cut$: Observable<Cut> = NEVER, causes = NO_CAUSES) {
    this.#now = now;
    this.#cut$ = cut$;
    this.#causes = causes;
  }

  revise(): void {
    this.revision$.next(this.revision$.value + 1);
  }

  since(revision: number): readonly LoggedRequest[] {
    return this.#log.filter(entry => entry.revision > revision);
  }

  /** The beginning of the answer to a request, without tokens. */
  answerOf(id: number): string | undefined {
    return this.#log.find(({ request }) => request.id === id)?.answer;
  }

  /** The same emulator, but this log counts its commands and requests. */
  observed(emulator: Emulator): Emulator {
    const counted = COMMANDS.map(name => {
      const command = emulator[name] as (...fields: readonly unknown[]) => unknown;
      const run = (...fields: readonly unknown[]) => {
        this.#causes.called(name, fields);
        const result = command(...fields);
        this.revise();
        if (typeof result !== 'function') return result;
        // The result of `fault` withdraws the fault.
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
      /** Notes the planned fault that this request has used up. */
      const noteFault = () => {
        const fault = faultKinds.find(kind => faultCounts[kind] !== before[kind]);
        if (fault && entry.request.fault === undefined)
          this.#change(entry, { fault, ...causedBy(this.#causes.ofFault(fault)) });
      };
      // The fault is known once `handle` has begun. An answer may come during that.
      let isKnown = false;
      const cut$ = (entry.request.is_poll ? this.#cut$ : NEVER).pipe(
        map(({ name, response, cause }) => {
          this.#change(entry, { fault: name, cause });
          return response;
        }),
      );
      const answer$ = merge(handle(request), cut$).pipe(
        take(1),
        concatMap(response => (isStalled(response) ? concat(of(response), NEVER) : of(response))),
        tap(response => {
          if (!isKnown) noteFault();
          this.#answered(entry, response);
        }),
      );
      const fault$ = defer(() => {
        isKnown = true;
        noteFault();
        return EMPTY;
      });
      return merge(answer$, fault$).pipe(
        finalize(() => {
          if (entry.request.ended_at === undefined) this.#change(entry, { ended_at: this.#now() });
        }),
      );
    });
  }

  #begin({ method, url, headers, body }: EmulatedRequest): LoggedRequest {
    const token = headers.authorization?.replace(/^Bearer /, '');
    const is_poll = /[?&]watch_index=|\/events\/live/.test(url);
    const path = withoutTokens(url);
    const entry: LoggedRequest = {
      token,
      sent: body,
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
      // The requests that are pending on all other connections are dead, too.
      for (const other of this.#open()) {
        other.isDead = true;
        this.#change(other, { fault: 'dead_pool' });
      }
    }
    if (entry.isDead || isStalled(response)) return;
    const isWhole = delivery === 'whole';
    if (status === 401) this.#change(entry, causedBy(this.#causes.ofExpiry(entry.token)));
    // A copy, because a slice would keep the whole text in memory.
    if (isWhole) entry.answer = withoutTokens(Buffer.from(body.slice(0, KEPT_LETTERS)).toString());
    const read = isWhole ? readAnswer(entry.request, entry.sent, response, this.#now()) : NOT_READ;
    const has_news = read.events.length > 0 || (status === 200 && isWhole && this.#isNews(entry, body));
    this.#change(entry, { ended_at: this.#now(), status: isWhole ? status : 0, ...read, has_news });
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
