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
import { createControl, createEmulator, seedWorld, type Fault, type SeededWorld } from 'lobby-rx/emulator';
import type { LobbyMarbles } from 'lobby-rx/marbles';

/**
 * How long the service holds a poll, in ms. Deployed ones hold it for 40 s, which is long for
 * someone who watches.
 */
const BLOCK_TIME = 10_000;
/** How long a restart of the service takes, in ms. */
const RESTART = 3_000;
const MINUTE = 60_000;

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
  /** How far the clock is ahead, in ms: a machine that sleeps finds it so when it wakes. */
  let ahead = 0;
  const now = () => Date.now() + ahead;
  const scheduler = Object.create(asyncScheduler, { now: { value: now } }) as SchedulerLike;
  marbles.now = now;

  const config = { scheduler, blockTime: BLOCK_TIME };
  let emulator = createEmulator(config);
  const world = seedWorld(emulator, { members: 24 });
  let control = createControl(emulator, world);
  let token = world.identityToken;
  let state: 'up' | 'away' | 'stopped' = 'up';
  const cut$ = new Subject<void>();
  const wake$ = new Subject<void>();

  const answer = (request: TransportRequest) => {
    if (state === 'up') return emulator.transport(request);
    return state === 'stopped' ? of(STOPPED) : lost(request);
  };
  const transport: Transport = request =>
    merge(
      defer(() => answer(request)),
      cut$.pipe(mergeMap(() => (state === 'stopped' ? of(STOPPED) : lost(request)))),
    ).pipe(
      take(1),
      // Drawn once the answer is logged, since events belong to the row that was answered last.
      tap(({ status, text }) => queueMicrotask(() => status === 200 && drawEvents(text))),
    );
  const drawEvents = (text: string) => {
    const { events = [] } = parsed(text);
    for (const { kind } of events) marbles.event({ kind: Object.keys(kind)[0] ?? 'unknown' });
  };
  const restart = () => {
    state = 'away';
    cut$.next();
    setTimeout(() => {
      if (state === 'stopped') return;
      state = 'up';
      emulator = createEmulator({ ...config, saved: emulator.save() });
      control = createControl(emulator, { ...world, identityToken: token });
      // The machine that it is now on has another clock.
      emulator.fault({ kind: 'index_backwards', ms: MINUTE });
      happenings['A message']();
    }, RESTART);
  };
  const happen = (what: () => unknown) => (state === 'up' ? what() : undefined);
  const happenings = {
    'A message': () => control.run('message', { text: 'Are you there?' }),
    'A friend goes away': () => control.run('presence', { status: 'away', who: world.friendIds[0] }),
    'A lobby join': () => control.run('lobby'),
    'A member joins': () => control.run('join'),
    'The token expires': () => control.run('token expire'),
    'The machine sleeps for a minute': () => {
      ahead += MINUTE;
      wake$.next();
    },
    'The service restarts': restart,
  };
  return {
    client: createClient({
      url: emulator.url,
      transport,
      scheduler,
      log: marbles.log,
      // A browser wakes a page that has slept; this one only acts as if it had.
      watch: { wake$ },
      token: {
        get: () => token,
        renew: () => {
          token = String(control.run('token renew').token);
        },
      },
    }),
    world,
    happenings: Object.fromEntries(
      Object.entries(happenings).map(([name, what]) => [name, () => happen(what)]),
    ),
    fault: kind =>
      happen(() => {
        control.run('fault', { kind });
        happenings['A message']();
      }),
    stop: () => {
      state = 'stopped';
      cut$.next();
    },
  };
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
