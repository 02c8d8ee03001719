import {
  asyncScheduler,
  defer,
  merge,
  mergeMap,
  of,
  Subject,
  take,
  tap,
  throwError,
  type SchedulerLike,
} from 'rxjs';
import { createClient, TransportError, type Client, type Transport, type TransportRequest } from 'lobby-rx';
import {
  createControl,
  createEmulator,
  seedWorld,
  type Control,
  type Emulator,
  type EmulatorConfig,
  type Fault,
  type SeededWorld,
} from 'lobby-rx/emulator';
import type { LobbyMarbles } from 'lobby-rx/marbles';

/**
 * How long the service holds a poll, in ms. Deployed ones hold it for 40 s, which is long for
 * someone who watches.
 */
const BLOCK_TIME_MS = 10_000;
/** How long a restart of the service takes, in ms. */
const RESTART_MS = 3_000;
const MINUTE_MS = 60_000;

/** The answer to everything once a playground is stopped: it ends every watch. */
const STOPPED = {
  status: 403,
  headers: { get: () => null },
  text: '{"code":"STOPPED","message":"The playground is stopped."}',
};

/** A service in the page, a client of it, and what can happen to them. */
export interface Playground {
  readonly client: Client;
  readonly world: SeededWorld;
  /** What can happen, by the text of its button. */
  readonly happenings: Readonly<Record<string, () => unknown>>;
  /** The next request meets the fault. An event ends the poll that is pending. */
  readonly fault: (kind: Fault['kind']) => unknown;
  /** Ends all streams of the client. */
  readonly stop: () => void;
}

/** Creates a service with a small world, and a client whose polls and events are drawn. */
export function createPlayground(marbles: LobbyMarbles): Playground {
  const clock = new Clock();
  const service = new Service(clock.scheduler);
  marbles.now = clock.now;
  const happenings: Playground['happenings'] = {
    'A message': () => service.run('message', { text: 'Are you there?' }),
    'A friend goes away': () => service.run('presence', { status: 'away', who: service.world.friendIds[0] }),
    'A lobby join': () => service.run('lobby'),
    'A member joins': () => service.run('join'),
    'The token expires': () => service.run('token expire'),
    'The machine sleeps for a minute': () => service.whileUp(() => clock.sleep(MINUTE_MS)),
    'The service restarts': () => service.restart(),
  };
  const transport: Transport = request =>
    service.transport(request).pipe(
      // Drawn once the answer is logged, since events belong to the row that was answered last.
      tap(({ status, text }) => queueMicrotask(() => status === 200 && drawEvents(text, marbles))),
    );
  return {
    client: createClient({
      url: service.url,
      transport,
      scheduler: clock.scheduler,
      log: marbles.log,
      // A browser wakes a page that has slept; this one only acts as if it had.
      watch: { wake$: clock.wake$ },
      token: { get: () => service.token, renew: () => service.renewToken() },
    }),
    world: service.world,
    happenings,
    fault: kind =>
      service.whileUp(() => {
        service.run('fault', { kind });
        happenings['A message']!();
      }),
    stop: () => service.stop(),
  };
}

/** The clock of a machine that can sleep: when it wakes, it finds that its clock is ahead. */
class Clock {
  #aheadMs = 0;
  readonly wake$ = new Subject<void>();
  readonly now = () => Date.now() + this.#aheadMs;
  readonly scheduler = Object.create(asyncScheduler, { now: { value: this.now } }) as SchedulerLike;

  sleep(ms: number): void {
    this.#aheadMs += ms;
    this.wake$.next();
  }
}

/** An emulator that can be away, or stopped for good. */
class Service {
  readonly #config: EmulatorConfig;
  #emulator: Emulator;
  #control: Control;
  #state: 'up' | 'away' | 'stopped' = 'up';
  /** Ends the polls that are held. */
  readonly #cut$ = new Subject<void>();
  readonly world: SeededWorld;
  token: string;

  constructor(scheduler: SchedulerLike) {
    this.#config = { scheduler, blockTime: BLOCK_TIME_MS };
    this.#emulator = createEmulator(this.#config);
    this.world = seedWorld(this.#emulator, { members: 24 });
    this.#control = createControl(this.#emulator, this.world);
    this.token = this.world.identityToken;
  }

  get url(): string {
    return this.#emulator.url;
  }

  readonly transport: Transport = request =>
    merge(
      defer(() => this.#answer(request)),
      this.#cut$.pipe(mergeMap(() => this.#unavailable(request))),
    ).pipe(take(1));

  whileUp(act: () => unknown): unknown {
    return this.#state === 'up' ? act() : undefined;
  }

  /** Carries out a command, unless the service is away. */
  run(name: string, fields: Readonly<Record<string, unknown>> = {}): unknown {
    return this.whileUp(() => this.#control.run(name, fields));
  }

  renewToken(): void {
    this.token = String(this.#control.run('token renew').token);
  }

  restart(): void {
    if (this.#state !== 'up') return;
    this.#state = 'away';
    this.#cut$.next();
    setTimeout(() => {
      if (this.#state === 'stopped') return;
      this.#state = 'up';
      this.#emulator = createEmulator({ ...this.#config, saved: this.#emulator.save() });
      this.#control = createControl(this.#emulator, { ...this.world, identityToken: this.token });
      // The machine that it is now on has another clock.
      this.#emulator.fault({ kind: 'index_backwards', ms: MINUTE_MS });
      this.run('message', { text: 'Are you there?' });
    }, RESTART_MS);
  }

  stop(): void {
    this.#state = 'stopped';
    this.#cut$.next();
  }

  #answer(request: TransportRequest): ReturnType<Transport> {
    return this.#state === 'up' ? this.#emulator.transport(request) : this.#unavailable(request);
  }

  #unavailable(request: TransportRequest): ReturnType<Transport> {
    return this.#state === 'stopped' ? of(STOPPED) : lost(request);
  }
}

function drawEvents(text: string, marbles: LobbyMarbles): void {
  const { events = [] } = parsed(text);
  for (const { kind } of events) marbles.event({ kind: Object.keys(kind)[0] ?? 'unknown' });
}

const lost = ({ method, url }: TransportRequest) =>
  throwError(() => new TransportError('lost', 'the service does not answer', { method, url }));

/** A fault may have made an answer anything. */
function parsed(text: string): { readonly events?: readonly { readonly kind: object }[] } {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}
