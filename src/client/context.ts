import { asyncScheduler, Subject, type Observable, type SchedulerLike, type TimestampProvider } from 'rxjs';
import { routeOf, type BaseUrls, type Endpoints, type RequestContext } from '../endpoint/index.js';
import {
  definedOptions,
  TransportError,
  type TransportFailure,
  type UnauthorizedError,
} from '../error/index.js';
import type { EventCodecs } from '../protocol/index.js';
import { defaultWake, watchSettings, type WatchConfig } from '../stream/index.js';
import {
  fromFetch,
  logUnsent,
  ServiceProof,
  summaryOf,
  withTimeout,
  withLog,
  withLogOfForeign,
  withToken,
  type Token,
  type Transport,
} from '../transport/index.js';
import { RequestQuota } from './quota.js';
import { resolveBaseUrls } from './base-urls.js';
import { checkedConfig, type ClientConfig } from './client-config.js';
import { ClientLife } from './client-life.js';

/** How to reach the service with one token. */
export interface ClientContext {
  readonly endpoints: Endpoints;
  /** For requests that do not block. */
  readonly plain: RequestContext;
  /** For single requests that block because they have an index. */
  readonly blocking: RequestContext;
  /** For the polls of a watch, which enforces their timeout itself. */
  readonly polling: RequestContext;
  readonly watch: WatchConfig<unknown>;
  readonly quota: RequestQuota;
  readonly life: ClientLife;
  /** The errors of tokens that are refused, one for each token. */
  readonly unauthorized$: Observable<UnauthorizedError>;
  readonly scheduler: SchedulerLike;
  /** What is known of who answers. All tokens of a client share it. */
  readonly proof: ServiceProof;
  /** How long a feed polls without a subscriber, in ms. */
  readonly linger: number;
  /** Whether the client renders pages, and so sends no poll. `undefined` if nobody has said. */
  readonly renders: boolean | undefined;
  /** The same context for another token. Throws an `InputError` if the token is invalid. */
  as(token: Token): ClientContext;
}

/** How long the service keeps events, in ms. */
const RETENTION_MS = 300_000;

/** The service allows 1,920 requests of an address and a route in 15 minutes. 20 are for others. */
const QUOTA = 1_900;

/** Creates a context: everything that a client needs to reach the service with one token. */
export function createContext(unchecked: ClientConfig<EventCodecs>): ClientContext {
  const config = checkedConfig(unchecked);
  const { endpoints, log, testing, renders, timeout = 15_000, scheduler = asyncScheduler } = config;
  const baseUrls = resolveBaseUrls(config);
  const { transport = fromFetch({ scheduler }), isFromService } = config;
  const { linger = 1_000, quota = QUOTA, ...watchConfig } = definedOptions(config.watch);
  const now = () => scheduler.now();

  const watch = {
    scheduler,
    retention: RETENTION_MS,
    wake$: defaultWake(scheduler, testing?.monotonic),
    ...definedOptions({ log, testing }),
    ...watchConfig,
  } as WatchConfig<unknown>;
  const { timeout: pollTimeout, monotonic } = watchSettings(watch);
  const shared: SharedContext = {
    endpoints,
    transport: log ? withLog(transport, log, now, () => monotonic.now()) : transport,
    baseUrls,
    serviceRoutes: Object.values(endpoints).map(routeOf),
    proof: new ServiceProof(isFromService),
    log,
    timeout,
    pollTimeout,
    monotonic,
    watch,
    quota: new RequestQuota(quota, monotonic, scheduler),
    scheduler,
    // Nothing polls, so there is nothing to wait for.
    linger: renders ? 0 : linger,
    renders,
  };
  return new ContextOfToken(shared, config.token);
}

/** The parts that the contexts of a client's tokens share. */
interface SharedContext extends Pick<
  ClientContext,
  'endpoints' | 'watch' | 'quota' | 'scheduler' | 'proof' | 'linger' | 'renders'
> {
  readonly transport: Transport;
  readonly baseUrls: BaseUrls;
  readonly serviceRoutes: readonly string[];
  readonly log: ClientConfig['log'];
  readonly timeout: number;
  readonly pollTimeout: number;
  readonly monotonic: TimestampProvider;
}

/**
 * A process may have a client for each of thousands of identities. So the parts that only some
 * clients need are made when they are used.
 */
class ContextOfToken implements ClientContext {
  readonly #shared: SharedContext;
  readonly #authorized: Transport;
  #plain: RequestContext | undefined;
  #blocking: RequestContext | undefined;
  readonly polling: RequestContext;
  readonly life: ClientLife;
  #unauthorized$: Subject<UnauthorizedError> | undefined;

  constructor(shared: SharedContext, token: Token) {
    const { transport, log, scheduler, monotonic, proof } = shared;
    this.#shared = shared;
    this.life = new ClientLife(shared.renders ?? false);
    const onRefused = (error: UnauthorizedError) => this.#unauthorized$?.next(error);
    const now = () => scheduler.now();
    const onUnsent = log && logUnsent(log, now);
    const hooks = { clock: monotonic, onRefused, proof, ...(onUnsent && { onUnsent }) };
    const tokened = withToken(transport, token, scheduler, hooks);
    this.#authorized = log ? withLogOfForeign(tokened, log, now) : tokened;
    this.polling = this.#sendingBy(this.#authorized);
  }

  get unauthorized$(): Observable<UnauthorizedError> {
    this.#unauthorized$ ??= new Subject();
    return this.#unauthorized$;
  }
  get plain(): RequestContext {
    this.#plain ??= this.#answeredWithin(this.#shared.timeout);
    return this.#plain;
  }
  get blocking(): RequestContext {
    this.#blocking ??= this.#answeredWithin(this.#shared.pollTimeout);
    return this.#blocking;
  }
  get endpoints(): Endpoints {
    return this.#shared.endpoints;
  }
  get watch(): WatchConfig<unknown> {
    return this.#shared.watch;
  }
  get quota(): RequestQuota {
    return this.#shared.quota;
  }
  get scheduler(): SchedulerLike {
    return this.#shared.scheduler;
  }
  get proof(): ServiceProof {
    return this.#shared.proof;
  }
  get linger(): number {
    return this.#shared.linger;
  }
  get renders(): boolean | undefined {
    return this.#shared.renders;
  }

  as(token: Token): ClientContext {
    return new ContextOfToken(this.#shared, token);
  }

  #answeredWithin(timeout: number): RequestContext {
    return this.#sendingBy(
      transportWhileOpen(this.life, withTimeout(this.#authorized, timeout, this.scheduler)),
    );
  }

  #sendingBy(transport: Transport): RequestContext {
    const { baseUrls, serviceRoutes, scheduler } = this.#shared;
    return { transport, baseUrls, serviceRoutes, now: () => scheduler.now() };
  }
}

/**
 * The transport of a client that may be closed. A request that had reached the service may have
 * been done, unless it was a GET.
 */
function transportWhileOpen(life: ClientLife, transport: Transport): Transport {
  return request => {
    let reason: TransportFailure = 'client_closed';
    const onSent = () => {
      reason = 'lost';
    };
    return life.requestWhileOpen(
      () => transport(request.method === 'GET' ? request : { ...request, onSent }),
      () => new TransportError(reason, 'the client is closed', summaryOf(request)),
    );
  };
}
