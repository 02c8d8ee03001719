import { TransportError, type Transport, type TransportRequest, type TransportResponse } from 'lobby-rx';
import { Observable, Subscription, type Subscriber } from 'rxjs';
import { BEGIN, type Clocks } from './clocks.js';
import { ownError, type PolledService, type ServiceAnswer } from './event-service.js';
import type { Fault, OddEnd } from './fault.js';
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

/**
 * How a request ends without the service: by a status of a proxy, an error of the transport, or a
 * broken answer.
 */
type Ending = number | 'lost' | 'too large' | keyof typeof BROKEN | OddEnd;

const BROKEN = { 'no JSON': '{"events":[{"kind":{"x":NaN}}]}', unread: '{"events":5}' };

/**
 * The path between one client and the service, as the client's transport. Its faults come one after
 * the other.
 */
export class Network {
  readonly #clocks: Clocks;
  readonly #service: PolledService;
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
    service: PolledService,
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
        request,
        number,
        index,
        sentAt,
        subscriber,
        course: new Subscription(),
        hasArrived: false,
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
    const isNew = exchange.sentAt === now;
    switch (fault.kind) {
      case 'cuts':
        if (isNew) this.#forward(exchange);
        return this.#endAfter(exchange, Math.max(0, exchange.sentAt + fault.after - now), fault.by ?? 504);
      case 'cache':
        if (isNew && !exchange.hasArrived) this.#askCache(exchange, fault);
        return;
      case 'poison':
        if (exchange.index !== undefined && exchange.index === this.#poisoned) break;
        if (isNew) this.#forward(exchange);
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
        this.#endAfter(exchange, fault.after, fault.status, fault.isEmpty);
        break;
      case 'poison':
        this.#endAfter(exchange, fault.after, fault.how);
        break;
      case 'own error':
        this.#replace(exchange, refusal(fault, now));
        break;
    }
  }

  /** A request that has not been answered ends like this after a while. */
  #endAfter(exchange: Exchange, after: number, how: Ending, isEmpty = false): void {
    const end = () => {
      if (exchange.hasArrived) return;
      if (how === 'lost' || how === 'too large') {
        const reason = how === 'lost' ? 'lost' : 'too_large';
        this.#drop(exchange);
        const error = new TransportError(reason, how, exchange.request);
        this.#toClient(exchange, () => exchange.subscriber.error(error));
        return;
      }
      const answer = typeof how === 'number' ? page(how) : oddAnswer(how);
      this.#replace(exchange, isEmpty ? { ...answer, text: '' } : answer);
    };
    exchange.course.add(this.#clocks.world.schedule(end, after));
  }

  /** A cache answers with what it has stored, or asks the service. */
  #askCache(exchange: Exchange, { ignoresQuery }: Fault & { kind: 'cache' }): void {
    const stored = this.#cached.get(ignoresQuery ? '' : (exchange.index ?? ''));
    if (!stored || stored.until < this.#clocks.now.true) return this.#forward(exchange);
    this.#journal.add({ kind: 'echo', request: exchange.number });
    const { status, headers, text } = stored.answer;
    this.#answer(exchange, { status, headers, text });
  }

  /** Another client polls through the same cache. */
  #share(fault: Fault & { kind: 'cache' }, index: string | undefined): void {
    const { world } = this.#clocks;
    if (this.#fault !== fault) return;
    const again = (next: string | undefined) => {
      world.schedule(() => this.#share(fault, next), 700);
    };
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

/**
 * An answer that is not what it seems: JSON with a code, or a 200 that is broken or says nothing.
 */
function oddAnswer(how: keyof typeof BROKEN | OddEnd): ServiceAnswer {
  const [, status, after] = /^own (\d+)(?: after (\d+))?$/.exec(how) ?? [];
  if (status !== undefined) return ownError(Number(status), 'GATEWAY', after ? { 'retry-after': after } : {});
  const texts = { ...BROKEN, empty: '', blank: ' \n ', null: 'null', '{}': '{ }' };
  return { status: 200, headers: {}, text: texts[how as keyof typeof texts] };
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
