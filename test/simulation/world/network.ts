import { TransportError, type Transport, type TransportRequest, type TransportResponse } from 'lobby-rx';
import { Observable, Subscription, type Subscriber } from 'rxjs';
import { BEGIN, type Clocks } from './clocks.js';
import { ownError, type EventService, type ServiceAnswer } from './event-service.js';
import type { Fault } from './fault.js';
import type { Journal } from './journal.js';

/** How long a request or an answer takes through a healthy network, in ms. */
const LATENCY = 20;

/** A transport ends a body that stands still after this time, in ms. */
const SILENCE_IN_BODY = 15_000;

/** A request on its way. */
interface Exchange {
  readonly request: TransportRequest;
  readonly number: number;
  readonly index: string | undefined;
  readonly sentAt: number;
  readonly subscriber: Subscriber<TransportResponse>;
  /** What happens to it: at the service, in the network, in a proxy. */
  course: Subscription;
  hasArrived: boolean;
}

/** The path between one client and the service, as the client's transport. Its faults come one after the other. */
export class Network {
  readonly #clocks: Clocks;
  readonly #service: EventService;
  readonly #journal: Journal;
  readonly #bodyTime: number;
  readonly #open = new Set<Exchange>();
  #fault: Fault | undefined;
  /** Connections that were made before this moment are dead. */
  #deadBefore = -1;
  #connectedAt = 0;
  #requests = 0;
  #lastIndex: string | undefined;
  #poisoned: string | undefined;
  readonly #cached = new Map<string, { readonly answer: ServiceAnswer; readonly until: number }>();

  constructor(
    clocks: Clocks,
    service: EventService,
    journal: Journal,
    faults: readonly Fault[],
    bodyTime = 0,
  ) {
    this.#clocks = clocks;
    this.#service = service;
    this.#journal = journal;
    this.#bodyTime = bodyTime;
    for (const fault of faults) {
      clocks.world.schedule(() => this.#begin(fault), fault.from);
      clocks.world.schedule(() => this.#end(fault), fault.to);
    }
  }

  readonly transport: Transport = request =>
    new Observable(subscriber => {
      const index = new URL(request.url).searchParams.get('watch_index') ?? undefined;
      const number = ++this.#requests;
      const isEarly =
        index === undefined && this.#lastIndex !== undefined && this.#service.knows(this.#lastIndex);
      this.#journal.add({
        kind: 'request',
        request: number,
        index,
        inFlight: this.#open.size + 1,
        ...(isEarly && { isEarly }),
      });
      const sentAt = this.#clocks.now.true;
      const exchange: Exchange = {
        ...{ request, number, index, sentAt, subscriber },
        ...{ course: new Subscription(), hasArrived: false },
      };
      this.#open.add(exchange);
      subscriber.add(() => {
        this.#open.delete(exchange);
        exchange.course.unsubscribe();
      });
      if (request.needsFreshConnection) this.#connectedAt = sentAt;
      if (this.#fault) this.#meet(exchange, this.#fault);
      else if (this.#connectedAt >= this.#deadBefore) this.#forward(exchange);
    });

  /** The machine sleeps, and its connections do not survive it. */
  breakConnections(): void {
    this.#deadBefore = this.#clocks.now.true + 1;
    for (const exchange of this.#open) this.#drop(exchange);
  }

  #begin(fault: Fault): void {
    this.#fault = fault;
    this.#cached.clear();
    if (fault.kind === 'cache' && fault.isShared) this.#share(fault, undefined);
    this.#poisoned = this.#lastIndex;
    for (const exchange of [...this.#open]) this.#meet(exchange, fault);
  }

  #end(fault: Fault): void {
    this.#fault = undefined;
    if (fault.kind === 'old connections') this.#deadBefore = this.#clocks.now.true;
    if (fault.kind !== 'black hole' || !fault.resent) return;
    const late = [...this.#open].filter(({ sentAt }) => sentAt >= fault.from);
    // A machine that sleeps sends nothing.
    for (const exchange of late)
      exchange.course.add(this.#clocks.client.schedule(() => this.#forward(exchange)));
  }

  /** What a fault does to a request, which may have been on its way when the fault began. */
  #meet(exchange: Exchange, fault: Fault): void {
    const now = this.#clocks.now.true;
    if (fault.kind === 'cuts') {
      if (exchange.sentAt === now) this.#forward(exchange);
      const left = Math.max(0, exchange.sentAt + fault.after - now);
      const cut = () => {
        if (exchange.hasArrived) return;
        if (fault.by !== 'lost') return this.#replace(exchange, page(fault.by ?? 504));
        exchange.course.unsubscribe();
        exchange.course = new Subscription();
        this.#toClient(exchange, () =>
          exchange.subscriber.error(new TransportError('lost', 'reset', exchange.request)),
        );
      };
      exchange.course.add(this.#clocks.world.schedule(cut, left));
      return;
    }
    if (fault.kind === 'cache') {
      if (exchange.sentAt < now || exchange.hasArrived) return;
      const stored = this.#cached.get(fault.ignoresQuery ? '' : (exchange.index ?? ''));
      if (!stored || stored.until < now) return this.#forward(exchange);
      this.#journal.add({ kind: 'echo', request: exchange.number });
      const { news: _news, ...answer } = stored.answer;
      return this.#answer(exchange, answer);
    }
    if (fault.kind === 'poison') {
      if (exchange.index !== this.#poisoned || exchange.index === undefined) {
        if (exchange.sentAt === now) this.#forward(exchange);
        return;
      }
      this.#drop(exchange);
      if (exchange.hasArrived) return;
      exchange.course.add(
        this.#clocks.world.schedule(() => {
          const fail = (error: TransportError) =>
            this.#toClient(exchange, () => exchange.subscriber.error(error));
          const { how } = fault;
          if (how === 'lost') fail(new TransportError('lost', 'reset', exchange.request));
          else if (how === 'too large') fail(new TransportError('too_large', 'too large', exchange.request));
          else if (how === 'no JSON')
            this.#replace(exchange, { status: 200, headers: {}, text: '{"events":[{"kind":{"x":NaN}}]}' });
          else if (how === 'unread')
            this.#replace(exchange, { status: 200, headers: {}, text: '{"events":5}' });
          else this.#replace(exchange, page(how));
        }, fault.after),
      );
      return;
    }
    this.#drop(exchange);
    if (exchange.hasArrived) return;
    switch (fault.kind) {
      case 'refused':
        this.#toClient(exchange, () => {
          const reason = exchange.sentAt < now ? 'lost' : 'unreachable';
          exchange.subscriber.error(new TransportError(reason, 'refused', exchange.request));
        });
        break;
      case 'proxy':
        exchange.course.add(
          this.#clocks.world.schedule(
            () =>
              this.#replace(
                exchange,
                fault.isEmpty ? { ...page(fault.status), text: '' } : page(fault.status),
              ),
            fault.after,
          ),
        );
        break;
      case 'own error':
        this.#replace(exchange, refusal(fault, now));
        break;
    }
  }

  /** Another client polls through the same cache. */
  #share(fault: Fault & { kind: 'cache' }, index: string | undefined): void {
    const { world } = this.#clocks;
    if (this.#fault !== fault) return;
    const again = (next: string | undefined) => void world.schedule(() => this.#share(fault, next), 700);
    const stored = this.#cached.get('');
    if (stored && stored.until >= world.now()) return again(stored.answer.news?.index);
    this.#service.poll(index, false, answer => {
      if (answer.news?.ids.length === 0) this.#cached.set('', { answer, until: world.now() + fault.ttl });
      again(answer.news?.index ?? index);
    });
  }

  #forward(exchange: Exchange): void {
    const { index } = exchange;
    const arrive = () => {
      const isLatest = index === this.#lastIndex;
      exchange.course.add(this.#service.poll(index, isLatest, answer => this.#answer(exchange, answer)));
    };
    exchange.course.add(this.#clocks.world.schedule(arrive, LATENCY));
  }

  /** Someone else answers. */
  #replace(exchange: Exchange, answer: ServiceAnswer): void {
    exchange.course.unsubscribe();
    exchange.course = new Subscription();
    this.#answer(exchange, answer);
  }

  #answer(exchange: Exchange, answer: ServiceAnswer): void {
    this.#toClient(exchange, () => this.#deliver(exchange, answer));
  }

  #deliver(exchange: Exchange, { status, text, headers, news }: ServiceAnswer): void {
    const { subscriber, request, number } = exchange;
    const firstByte = this.#clocks.now;
    exchange.hasArrived = true;
    request.onArrival?.(status);
    const finish = () => {
      if (subscriber.closed) return;
      const fault = this.#fault;
      if (fault?.kind === 'cache' && news?.ids.length === 0) {
        const answer = { status, text, headers, news };
        this.#cached.set(fault.ignoresQuery ? '' : (exchange.index ?? ''), {
          answer,
          until: this.#clocks.now.true + fault.ttl,
        });
      }
      if (news) {
        this.#lastIndex = news.index;
        this.#journal.add({ kind: 'answer', request: number, firstByte, ...news });
      } else if (text.includes('API_REQUEST_TIMEOUT')) {
        this.#journal.add({ kind: 'timeout', request: number });
      } else if (headers['retry-after'] !== undefined) {
        this.#journal.add({ kind: 'asked to wait', wait: waitOf(headers) });
      }
      subscriber.next({ status, text, headers: { get: name => headers[name.toLowerCase()] ?? null } });
      subscriber.complete();
    };
    if (this.#bodyTime === 0 || !news) finish();
    else exchange.course.add(this.#clocks.client.schedule(finish, this.#bodyTime));
  }

  /** Nothing comes of it any more. */
  #drop(exchange: Exchange): void {
    exchange.course.unsubscribe();
    exchange.course = new Subscription();
    if (!exchange.hasArrived) return;
    // A transport ends a body that stands still.
    const fail = () =>
      exchange.subscriber.error(new TransportError('lost', 'the body stands still', exchange.request));
    exchange.course.add(this.#clocks.client.schedule(fail, SILENCE_IN_BODY));
  }

  #toClient(exchange: Exchange, deliver: () => void): void {
    exchange.course.add(this.#clocks.client.schedule(deliver, LATENCY));
  }
}

/** The answer of a proxy, which is not the service's. */
function page(status: number): ServiceAnswer {
  return { status, headers: {}, text: status < 400 ? '' : `<html><h1>${status}</h1></html>` };
}

function refusal(
  { status, after, dated }: Extract<Fault, { kind: 'own error' }>,
  now: number,
): ServiceAnswer {
  const code = status === 429 ? 'API_RATE_LIMIT' : 'API_UNAVAILABLE';
  if (after === undefined) return ownError(status, code);
  const date = new Date(BEGIN + now).toUTCString();
  const until = dated ? new Date(BEGIN + now + after).toUTCString() : String(after / 1_000);
  return ownError(status, code, { date, 'retry-after': until });
}

function waitOf(headers: ServiceAnswer['headers']): number {
  const after = headers['retry-after'] ?? '';
  return /^\d+$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - Date.parse(headers.date ?? '');
}
