import { deepStrictEqual, match, notStrictEqual, ok, strictEqual, throws } from 'node:assert';
import { inspect } from 'node:util';
import {
  NEVER,
  of,
  retry,
  Subject,
  Subscription,
  throwError,
  type SchedulerAction,
  type SchedulerLike,
} from 'rxjs';
import {
  isLobbyClosedError,
  lobbyConnection,
  type LobbyConnection,
  type LobbyConnectionConfig,
  type LobbyJoin,
} from 'lobby-rx';
import { pageWake } from 'lobby-rx/browser';
import { fakePage } from '../fake-page.js';
import { virtualTime } from '../virtual-time.js';
import { parsePresented, welcomeText } from '../../src/player/index.js';
import { fakeSockets, type FakeSocket } from './fake-gate.js';

const TOKEN = 'player.secret-token';
const TICKET = 'return.secret-ticket';
const GRACE = 30_000;
const URL_OF_LOBBY = 'wss://lobby.example.com/play';

/** A player whose sockets a test plays the other side of, in virtual time. */
function player(config: LobbyConnectionConfig = {}) {
  const { scheduler, pass } = virtualTime();
  const { opened, WebSocket } = fakeSockets();
  const connection = lobbyConnection(
    { url: URL_OF_LOBBY, token: TOKEN },
    { WebSocket, scheduler, testing: { random: () => 0.5 }, wake$: NEVER, ...config },
  );
  return { connection, opened, pass, scheduler, ...observed(connection), last: () => opened.at(-1)! };
}

/** Subscribes to a connection, and keeps what happens. */
function observed(connection: LobbyConnection) {
  const messages: unknown[] = [];
  const ends: unknown[] = [];
  const states: string[] = [];
  connection.status$.subscribe(({ state, nextTry }) =>
    states.push(nextTry === undefined ? state : `${state}…`),
  );
  const subscription = connection.subscribe({
    next: message => messages.push(message),
    error: (error: unknown) => ends.push(isLobbyClosedError(error) ? error.reason : error),
    complete: () => ends.push('complete'),
  });
  return { messages, ends, states, leave: () => subscription.unsubscribe() };
}

/** Fails each attempt to connect for a time, and returns how many there were. */
function whileAway({ opened, pass }: ReturnType<typeof player>, time: number, fail: (s: FakeSocket) => void) {
  const before = opened.length;
  let failed = before - 1;
  for (let passed = 0; passed < time; passed += 100) {
    pass(100);
    if (opened.length - 1 > failed) {
      failed = opened.length - 1;
      fail(opened[failed]!);
    }
  }
  return opened.length - before;
}

type Schedule = <T>(
  work: (this: SchedulerAction<T>, state?: T) => void,
  delay?: number,
  state?: T,
) => Subscription;

/** Timers that fire late: while the page is frozen, no code runs, although time passes. */
function freezable() {
  const { scheduler, pass } = virtualTime();
  const overdue: (() => void)[] = [];
  let isFrozen = false;
  const schedule: Schedule = (work, delay, state) => {
    const action: Subscription = scheduler.schedule(
      function (given) {
        const run = () => action.closed || work.call(this, given);
        if (isFrozen) overdue.push(run);
        else run();
      },
      delay,
      state,
    );
    return action;
  };
  /** The overdue timers come before what the sockets have received. */
  const freeze = (ms: number, received = () => {}) => {
    isFrozen = true;
    pass(ms);
    isFrozen = false;
    for (const run of overdue.splice(0)) run();
    received();
  };
  const clock = Object.create(scheduler, { schedule: { value: schedule } }) as SchedulerLike;
  return { scheduler: clock, pass, freeze };
}

describe('lobbyConnection', () => {
  it('sends the token, emits messages once the gate has welcomed the player, and leaves with 1000', () => {
    const { connection, opened, messages, states, leave, last } = player();
    strictEqual(opened.length, 1);
    ok(last().isOurs);
    deepStrictEqual([last().url, last().sent], [URL_OF_LOBBY, []]);
    last().open();
    deepStrictEqual([last().sent.length, last().presented.token], [1, TOKEN]);
    strictEqual(connection.send('too early'), false);
    last()
      .admit(TICKET, GRACE)
      .say('hello')
      .say(new Uint8Array([1, 2]).buffer);
    deepStrictEqual(messages, ['hello', new Uint8Array([1, 2])]);
    strictEqual(connection.send('hi'), true);
    leave();
    deepStrictEqual(last().closed, { code: 1000, reason: '' });
    deepStrictEqual(last().sent.slice(-1), ['hi']);
    deepStrictEqual(states, ['idle', 'connecting', 'live', 'idle']);
  });

  it('has one connection for all subscribers, and another one after the last has left', () => {
    const { connection, opened, leave, last } = player();
    const other = observed(connection);
    strictEqual(opened.length, 1);
    leave();
    last().admit(TICKET, GRACE).say('hello');
    deepStrictEqual(other.messages, ['hello']);
    other.leave();
    observed(connection);
    last().open();
    deepStrictEqual([opened.length, last().presented.token], [2, TOKEN]);
  });

  it('takes a lobby join, and puts the token into the query if the gate wants it there', () => {
    const { opened, WebSocket } = fakeSockets();
    const port = { hostname: 'lobby.example.com', port: 8443, is_tls: true };
    const join = { player: { token: 'a+b' }, ports: { game: port, voice: port } } as unknown as LobbyJoin;
    const config = { WebSocket, port: 'game', path: '/play?name=Ada', wake$: NEVER } as const;
    const urls = (['message', 'query'] as const).map(token => {
      lobbyConnection(join, { ...config, token })
        .subscribe()
        .unsubscribe();
      return opened.at(-1)!.url;
    });
    const url = 'wss://lobby.example.com:8443/play?name=Ada';
    strictEqual(urls[0], url);
    const [before, presented = ''] = urls[1]!.split('&token=', 2);
    deepStrictEqual([before, parsePresented(decodeURIComponent(presented)).token], [url, 'a+b']);
  });

  for (const code of [1001, 1002, 1006, 1011, 1012, 1013, 1014, 4000, 4006]) {
    it(`comes back with the ticket after ${code}, as long as the grace is`, () => {
      const world = player();
      const { opened, pass, ends, last, states, messages } = world;
      last().admit(TICKET, GRACE).end(code);
      strictEqual(opened.length, 1);
      pass(250);
      last().open();
      deepStrictEqual([opened.length, last().sent], [2, [TICKET]]);
      last().admit(TICKET, GRACE).say('back').end(code);
      deepStrictEqual([messages, ends], [['back'], []]);
      deepStrictEqual(states.slice(2), ['live', 'retrying…', 'retrying', 'live', 'retrying…']);
      const attempts = whileAway(world, GRACE - 500, socket => socket.end());
      ok(attempts >= 8 && attempts < 20, String(attempts));
      deepStrictEqual(ends, []);
      whileAway(world, 1_000, socket => socket.end());
      deepStrictEqual(ends, ['expired']);
      strictEqual(states.at(-1), 'closed');
    });
  }

  it('has a ticket of its own until it is welcome: the same for each attempt', () => {
    const { opened, pass, last } = player();
    for (let n = 0; n < 3; n++) {
      last().open().end();
      pass(5_000);
    }
    last().open();
    const [first, ...others] = opened.map(({ presented }) => presented);
    match(first!.ownTicket!, /^[\d-]{22,}$/);
    strictEqual(others.length, 3);
    for (const presented of others) deepStrictEqual(presented, first);
    last().say(welcomeText(TICKET, GRACE)).end();
    pass(1_000);
    deepStrictEqual(last().open().sent, [TICKET]);
    const another = player().last().open().presented;
    notStrictEqual(another.ownTicket, first!.ownTicket);
  });

  it('presents the token alone on a platform without safe random numbers', () => {
    const { crypto } = globalThis;
    Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true });
    try {
      deepStrictEqual(player().last().open().sent, [TOKEN]);
    } finally {
      Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true });
    }
  });

  it('comes back where a platform fires only an error, as Node 22 does', () => {
    const world = player();
    world.last().admit(TICKET, GRACE).end();
    ok(whileAway(world, 3_000, socket => socket.fail()) > 2);
    world.pass(5_000);
    world.last().admit(TICKET, GRACE);
    strictEqual(world.states.at(-1), 'live');
    deepStrictEqual(world.ends, []);
  });

  it('presents the token again while the reservation is valid, if it has not been in', () => {
    for (const fail of [
      (socket: FakeSocket) => socket.open().end(),
      (socket: FakeSocket) => socket.open().end(4424, 'outcome_unknown'),
      (socket: FakeSocket) => socket.open().end(4429, 'busy'),
      (socket: FakeSocket) => socket.open().end(4408, 'no_token_in_time'),
      (socket: FakeSocket) => socket.end(1001, 'gate_closed'),
    ]) {
      const world = player();
      fail(world.last());
      const attempts = whileAway(world, 60_000, fail);
      ok(attempts > 10 && attempts < 40, String(attempts));
      world.pass(6_000);
      const { last, states } = world;
      last().open();
      strictEqual(last().presented.token, TOKEN);
      last().admit(TICKET, GRACE);
      strictEqual(states.at(-1), 'live');
    }
  });

  it('gives up once the reservation is no longer valid, and says why', () => {
    const ending = (fail: (socket: FakeSocket) => void) => {
      const world = player();
      fail(world.last());
      whileAway(world, 119_000, fail);
      deepStrictEqual(world.ends, []);
      whileAway(world, 2_000, fail);
      return world.ends;
    };
    deepStrictEqual(
      ending(socket => socket.fail()),
      ['unreachable'],
    );
    deepStrictEqual(
      ending(socket => socket.open().end()),
      ['registration_expired'],
    );
    deepStrictEqual(
      ending(socket => socket.open().end(4424, 'lobby_unauthorized')),
      ['lobby_unauthorized'],
    );
  });

  it('waits as long as the gate asks for, and not in vain', () => {
    const { opened, pass, ends, last, connection } = player();
    last().open().end(4424, 'rate_limited; retry-after=90');
    match(connection.status.hint!, /limits the rate/);
    strictEqual(connection.status.nextTry! - connection.status.since, 90_250);
    pass(90_000);
    strictEqual(opened.length, 1);
    pass(1_000);
    strictEqual(opened.length, 2);
    last().open().end(4424, 'rate_limited; retry-after=90');
    deepStrictEqual(ends, ['rate_limited']);
  });

  it('ends with the reason of every other code', () => {
    for (const [code, text, reason] of [
      [4401, 'invalid_token', 'invalid_token'],
      [4403, 'registration_expired', 'registration_expired'],
      [4403, 'already_connected', 'already_connected'],
      [4403, 'SOME_CODE', 'SOME_CODE'],
      [4403, 'constructor', 'constructor'],
      [4403, '', 'kicked'],
    ] as const) {
      const { opened, pass, ends, last, connection } = player();
      last().open().end(code, text);
      pass(600_000);
      deepStrictEqual([ends, opened.length, connection.status.hint], [[reason], 1, undefined]);
    }
    for (const [code, text, reason] of [
      [4409, 'replaced', 'replaced'],
      [4413, 'too_many_messages', 'too_many_messages'],
      [1009, '', 'too_large'],
      [1001, 'gate_closed', 'gate_closed'],
      [4424, 'busy elsewhere', 'busy elsewhere'],
      [4010, 'afk', 'kicked'],
      [1000, 'the game is over', 'complete'],
    ] as const) {
      const { opened, pass, ends, last, states, connection } = player();
      last().admit(TICKET, GRACE).end(code, text);
      pass(600_000);
      deepStrictEqual([ends, opened.length, states.at(-1)], [[reason], 1, 'closed']);
      strictEqual(connection.status.error?.text, reason === 'complete' ? undefined : text);
    }
  });

  it('is out after a drop if the gate lets no one come back', () => {
    const { ends, last } = player();
    last().admit(undefined, 0).end();
    deepStrictEqual(ends, ['dropped']);
  });

  it('is out if the server is no gate', () => {
    for (const first of ['hello', '{"ticket":7,"grace":1}', '{"grace":-1}', 'null', new ArrayBuffer(2)]) {
      const { ends, last, messages } = player();
      last().open().say(first);
      deepStrictEqual([ends, messages], [['not_a_gate'], []]);
      strictEqual(last().closed?.code, 1000);
    }
  });

  it('ends an attempt that takes too long, and never has two connections', () => {
    const { opened, pass, last } = player();
    pass(10_000);
    deepStrictEqual(last().closed, { code: 4000, reason: 'back_soon' });
    pass(250);
    strictEqual(opened.length, 2);
    last().open();
    pass(29_999);
    strictEqual(last().closed, undefined);
    pass(1);
    ok(last().closed);
    pass(500);
    strictEqual(opened.length, 3);
    // What the old ones do is of no interest.
    opened[0]!.end(4403, 'removed');
    opened[1]!.say('late');
    strictEqual(opened.filter(socket => !socket.closed).length, 1);
  });

  it('asks a silent lobby for an answer, and comes back if there is none', () => {
    const { opened, pass, messages, last } = player();
    last().admit(TICKET, GRACE);
    for (let n = 0; n < 10; n++) {
      pass(15_000);
      last().say(`message ${n}`);
    }
    strictEqual(last().heartbeats, 0);
    pass(20_000);
    strictEqual(last().heartbeats, 1);
    pass(4_000);
    last().say('');
    pass(20_000);
    strictEqual(last().heartbeats, 2);
    deepStrictEqual([messages.length, opened.length], [10, 1]);
    pass(9_999);
    strictEqual(last().closed, undefined);
    pass(1);
    deepStrictEqual(last().closed, { code: 4000, reason: 'back_soon' });
    pass(250);
    last().open();
    deepStrictEqual(last().sent, [TICKET]);
  });

  it('asks a second time, since the answer may be waiting behind a timer that was held up', () => {
    for (const before of [0, 19_999, 20_000, 24_999]) {
      for (const isHealthy of [true, false]) {
        const { pass, freeze, scheduler } = freezable();
        const { opened, last } = player({ scheduler });
        last().admit(TICKET, GRACE);
        pass(before);
        const asked = last().heartbeats;
        const answer = () => {
          if (isHealthy) last().say('');
        };
        freeze(60_000, asked > 0 ? answer : undefined);
        pass(4_999);
        if (last().heartbeats > asked) answer();
        pass(10_001);
        deepStrictEqual([opened.length, !last().closed], [isHealthy ? 1 : 2, true], `${before}`);
      }
    }
  });

  it('hears what has come while the page was frozen, before it gives up an attempt', () => {
    for (const before of [0, 4_999]) {
      const { pass, freeze, scheduler } = freezable();
      const { opened, last, states } = player({ scheduler });
      pass(before);
      freeze(60_000, () => last().open());
      pass(before);
      freeze(60_000, () => last().say(welcomeText(TICKET, GRACE)));
      pass(15_000);
      deepStrictEqual([opened.length, states.at(-1)], [1, 'live']);
    }
    for (const hasOpened of [false, true]) {
      const { pass, freeze, scheduler } = freezable();
      const { opened, last } = player({ scheduler });
      if (hasOpened) last().open();
      freeze(60_000);
      pass(10_000);
      ok(opened[0]!.closed);
    }
  });

  it('tries once more if the reservation has ended while the page was frozen, and then says so', () => {
    const { pass, freeze, scheduler } = freezable();
    const { opened, last, ends } = player({ scheduler });
    last().open().end();
    freeze(600_000);
    strictEqual(opened.length, 2);
    last().end();
    deepStrictEqual(ends, ['registration_expired']);
    pass(600_000);
    strictEqual(opened.length, 2);
  });

  it('notices a silent gate although the clock of the machine is set back', () => {
    const { scheduler, pass } = virtualTime();
    let setBack = 0;
    const clock = Object.create(scheduler, {
      now: { value: () => scheduler.now() - setBack },
    }) as SchedulerLike;
    const { last, states } = player({
      scheduler: clock,
      testing: { random: () => 0.5, monotonic: scheduler },
    });
    last().admit(TICKET, GRACE).say('hello');
    setBack = 3_600_000;
    pass(30_000);
    deepStrictEqual(states, ['idle', 'connecting', 'live', 'retrying…']);
  });

  it('asks nothing without a heartbeat', () => {
    const { pass, last } = player({ heartbeat: 0 });
    last().admit(TICKET, GRACE);
    pass(3_600_000);
    deepStrictEqual([last().heartbeats, last().closed], [0, undefined]);
  });

  it('connects at once on a wake, unless the gate asks for a wait', () => {
    const wake$ = new Subject<void>();
    const world = player({ wake$ });
    const { opened, pass, last, states } = world;
    last().admit(TICKET, GRACE).end();
    whileAway(world, 20_000, socket => socket.fail());
    ok(states.at(-1)!.startsWith('offline'));
    const failed = opened.length;
    wake$.next();
    pass(250);
    strictEqual(opened.length, failed + 1);
    pass(2_000);
    wake$.next();
    ok(last().closed, 'an attempt on the old network has ended');
    pass(5_000);
    last().open().end(4429, 'busy');
    const before = opened.length;
    wake$.next();
    pass(900);
    strictEqual(opened.length, before);
    pass(5_000);
    last().admit(TICKET, GRACE);
    wake$.next();
    strictEqual(last().heartbeats, 1);
    wake$.error(new Error('a source of wakes that fails'));
    pass(9_000);
    last().say('');
    strictEqual(states.at(-1), 'live');
  });

  it('does not spin if a source of wakes emits at once, or fails', () => {
    for (const wake$ of [of(1), throwError(() => new Error('no wakes'))]) {
      const world = player({ wake$ });
      world.last().admit(TICKET, GRACE).end();
      ok(whileAway(world, 10_000, socket => socket.fail()) < 60);
    }
  });

  it('leaves no listener and no timer', () => {
    const page = fakePage();
    try {
      for (const use of [
        (socket: FakeSocket) => socket.admit(TICKET, GRACE),
        (socket: FakeSocket) => socket.end(),
        (socket: FakeSocket) => socket.end(4403, 'removed'),
      ]) {
        const { scheduler, leave, last } = player({ wake$: pageWake() });
        use(last());
        leave();
        deepStrictEqual([page.listeners, scheduler.actions.filter(({ closed }) => !closed)], [[], []]);
      }
    } finally {
      page.remove();
    }
  });

  for (const state of ['connecting', 'live', 'retrying', 'offline', 'closed'] as const) {
    it(`leaves nothing behind if a subscriber leaves as soon as it hears '${state}'`, () => {
      const { scheduler, pass } = virtualTime();
      const { opened, WebSocket } = fakeSockets();
      const connection = lobbyConnection(
        { url: URL_OF_LOBBY, token: TOKEN },
        { WebSocket, scheduler, wake$: NEVER },
      );
      const subscription = new Subscription();
      connection.status$.subscribe(status => {
        if (status.state === state) subscription.unsubscribe();
      });
      subscription.add(connection.subscribe({ error: () => undefined }));
      if (state === 'offline') opened[0]?.end();
      else opened[0]?.admit(TICKET, GRACE).end(state === 'retrying' ? 1006 : 4010);
      pass(60_000);
      const actions = scheduler.actions.filter(({ closed }) => !closed);
      deepStrictEqual([actions, opened.filter(({ readyState }) => readyState < 2)], [[], []]);
      ok(opened.length < 2);
      strictEqual(connection.status.state, state === 'closed' ? 'closed' : 'idle');
    });
  }

  it('connects again for a subscriber that comes back when it is out', () => {
    const { scheduler } = virtualTime();
    const { opened, WebSocket } = fakeSockets();
    const entrance = { url: URL_OF_LOBBY, token: TOKEN };
    const connection = lobbyConnection(entrance, { WebSocket, scheduler, wake$: NEVER });
    const messages: unknown[] = [];
    connection.pipe(retry(1)).subscribe(message => messages.push(message));
    opened[0]!.open().end(4403, 'already_connected');
    opened[1]!.admit(TICKET, GRACE).say('hello');
    deepStrictEqual([opened.length, messages, connection.status.state], [2, ['hello'], 'live']);
  });

  it('keeps messages while the player is away only if asked to, and a bounded number', () => {
    const { connection, pass, last, leave } = player({ queue: 2 });
    deepStrictEqual([connection.send('a'), connection.send('b'), connection.send('c')], [true, true, false]);
    last().admit(TICKET, GRACE);
    deepStrictEqual(last().sent.slice(1), ['a', 'b']);
    last().end();
    strictEqual(connection.send('d'), true);
    pass(250);
    last().admit(TICKET, GRACE);
    deepStrictEqual(last().sent, [TICKET, 'd']);
    last().bufferedAmount = 2_000_000;
    strictEqual(connection.send('e'), false);
    leave();
    strictEqual(connection.send('f'), false);
  });

  it('has no token in an error or a status, and prints none', () => {
    const { connection, last } = player({ token: 'query' });
    const { ownTicket = '' } = parsePresented(decodeURIComponent(last().url.split('token=', 2)[1]!));
    last().admit(TICKET, GRACE).end(4010, `${ownTicket} ${TOKEN} ${TICKET} \u001b[2J`);
    const { error } = connection.status;
    const printed = `${inspect(connection, { depth: 9, showHidden: true })} ${inspect(error)} ${JSON.stringify(connection.status)}`;
    for (const unprinted of ['secret-t', '\u001b', ownTicket]) ok(!printed.includes(unprinted), printed);
    strictEqual(error?.text, '[secret] [secret] [secret]  [2J');
  });

  it('says so, without a token, if the platform cannot open the URL', () => {
    // A class of the platform throws when it is called with `new`.
    const Refusing = function (url: string) {
      throw new DOMException(`cannot open ${url}`, 'SecurityError');
    };
    const { connection, ends, states } = player({ token: 'query', WebSocket: Refusing as never });
    deepStrictEqual(ends, ['not_opened']);
    const { error, hint } = connection.status;
    strictEqual(String(error), 'LobbyClosedError: not in the lobby: not_opened (1006: SecurityError)');
    match(hint!, /wss:/);
    strictEqual(states.at(-1), 'closed');
  });

  it('says what is wrong with its arguments', () => {
    const entrance = { url: URL_OF_LOBBY, token: TOKEN };
    const { WebSocket } = fakeSockets();
    for (const [call, message] of [
      [() => lobbyConnection({ url: 'http://x', token: 'a' }), /^url must be a URL that begins with ws/],
      [
        () => lobbyConnection({ url: URL_OF_LOBBY, token: 'a b' }),
        /^token must be a token .*; got a string of 3/,
      ],
      [() => lobbyConnection({} as never, { WebSocket }), /^join must be a lobby join/],
      [() => lobbyConnection(entrance, { path: '/a' }), /^port and path must be absent/],
      [() => lobbyConnection(entrance, { heartbeet: 1 } as never), /did you mean `heartbeat`/],
      [() => lobbyConnection(entrance, { heartbeat: -1 }), /^heartbeat must be a number of milliseconds/],
      [() => lobbyConnection(entrance, { backoff: { max: 'a' as never } }), /^backoff\.max must be/],
      [() => lobbyConnection(entrance, { token: 'header' as never }), /^token must be 'message' or 'query'/],
      [() => lobbyConnection(entrance, { WebSocket }).send(''), /^message must be a string or a Uint8Array/],
      [() => lobbyConnection(entrance, { WebSocket }).send({} as never), /^message must be/],
    ] as const) {
      throws(call, { name: 'InputError', message });
    }
  });

  it('needs a WebSocket of its own where the platform has none', () => {
    const { WebSocket } = globalThis as { readonly WebSocket?: unknown };
    Object.defineProperty(globalThis, 'WebSocket', { value: undefined, configurable: true, writable: true });
    try {
      throws(
        () => lobbyConnection({ url: URL_OF_LOBBY, token: TOKEN }),
        /^InputError: WebSocket must be a class of WebSockets\. In Node before 22/,
      );
    } finally {
      Object.defineProperty(globalThis, 'WebSocket', {
        value: WebSocket,
        configurable: true,
        writable: true,
      });
    }
  });
});
