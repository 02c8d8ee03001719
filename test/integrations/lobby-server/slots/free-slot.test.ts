import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { concat, EMPTY, of, Subject, throwError } from 'rxjs';
import { DecodeError, InputError, StatusError, TransportError, UnauthorizedError } from 'lobby-rx';
import { settableTime } from '../../../settable-time.js';
import { waitUntil } from '../../../wait-until.js';
import { confirmations, eachFromElsewhere, openGate, type OpenGate } from '../gate.js';
import { connectPlayer, tryConnect } from '../connect-player.js';

const request = { method: 'POST', url: 'https://matchmaker.example.com/v1/players/disconnected' };
const ofService = (status: number, code = 'SOME_CODE') => new StatusError(status, request, { code });
const ofProxy = (status: number, retryAfter?: number) => new StatusError(status, request, { retryAfter });

describe('lobbyGate and freeSlot', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  /** Players who come in and leave at once. */
  const comeAndGo = async (count: number): Promise<readonly string[]> => {
    const before = left();
    const tokens = Array.from({ length: count }, () => gate.reserveToken());
    for (const token of tokens) {
      const { ws } = await connectPlayer(at(`?token=${token}`));
      ws.close();
    }
    await waitUntil(() => left() === before + count);
    return tokens;
  };
  const left = () => gate.log.filter(({ kind }) => kind === 'left').length;
  const kinds = () => gate.log.map(({ kind }) => kind).filter(kind => kind !== 'admitted' && kind !== 'left');

  it('runs at most 64 at once, and leaves none out', async () => {
    const running = new Map<string, Subject<void>>();
    const called: string[] = [];
    gate = await openGate({
      freeSlot: token => {
        called.push(token);
        const ended$ = new Subject<void>();
        running.set(token, ended$);
        return ended$;
      },
    });
    const tokens = await comeAndGo(67);
    for (let ended = 0; ended < 67; ended++) {
      strictEqual(called.length, Math.min(67, ended + 64));
      running.get(called[ended]!)!.complete();
    }
    deepStrictEqual([...called].sort(), [...tokens].sort());
  });

  it('frees others while 64 wait to be tried again', async () => {
    const called = new Set<string>();
    gate = await openGate({
      addressOf: eachFromElsewhere(),
      freeSlot: token => {
        called.add(token);
        return called.size > 64 ? EMPTY : throwError(() => ofProxy(502));
      },
    });
    await comeAndGo(65);
    deepStrictEqual([called.size, kinds().at(-1)], [65, 'freed']);
  });

  it('is in the log if a call takes longer than 30 s, once for all slots until one is freed', async () => {
    let call$ = new Subject<void>();
    gate = await openGate({ freeSlotTimeout: Infinity, freeSlot: () => call$ });
    await comeAndGo(3);
    gate.pass(29_000);
    deepStrictEqual(kinds(), []);
    gate.pass(600_000);
    deepStrictEqual(kinds(), ['slow']);
    const hung$ = call$;
    call$ = new Subject();
    hung$.complete();
    await waitUntil(() => kinds().length === 4);
    await comeAndGo(1);
    gate.pass(31_000);
    deepStrictEqual(kinds(), ['slow', 'freed', 'freed', 'freed', 'slow']);
  });

  const free: readonly (readonly [string, unknown])[] = [
    ['400 of the service', ofService(400)],
    ['404 of the service', ofService(404)],
    ['410 of the service', ofService(410)],
  ];
  for (const [what, error] of free) {
    it(`is done after ${what}: it does not count the player`, async () => {
      let calls = 0;
      gate = await openGate({
        freeSlot: () => {
          calls++;
          return throwError(() => error);
        },
      });
      await comeAndGo(1);
      deepStrictEqual([calls, kinds()], [1, ['freed']]);
    });
  }

  const notFree: readonly (readonly [string, unknown])[] = [
    ['401 of the service', new UnauthorizedError(request, ofService(401))],
    ['403 of the service', ofService(403)],
    ['408', ofService(408)],
    ['425', ofService(425)],
    ['429', ofService(429)],
    ['500', ofService(500)],
    ["a proxy's 400", ofProxy(400)],
    ["a proxy's 403", ofProxy(403)],
    ["a proxy's 404", ofProxy(404)],
    ["a proxy's 410", ofProxy(410)],
    ['a redirect', new TransportError('redirected', 'redirected', request)],
    ['a page', new DecodeError({ path: '', expected: 'JSON', got: 'HTML' }, request)],
    ['an answer that is too large', new TransportError('too_large', 'too large', request)],
    ["somebody's error", new Error('the database is busy')],
    ['an error that throws when it is read', hostile()],
  ];
  for (const [what, error] of notFree) {
    it(`is tried again after ${what}, and what it came to is logged`, async () => {
      let calls = 0;
      gate = await openGate({
        freeSlot: () => {
          calls++;
          return calls > 20 ? EMPTY : throwError(() => error);
        },
        freeSlotTimeout: Infinity,
      });
      await comeAndGo(1);
      deepStrictEqual([calls, kinds()], [1, ['retrying']]);
      // Twenty waits of at most a minute.
      for (let wait = 0; wait < 20; wait++) gate.pass(60_000);
      deepStrictEqual([calls, kinds()], [21, ['retrying', 'freed']]);
    });
  }

  it('is given up for five minutes after the first call, or what freeSlotTimeout says', async () => {
    for (const freeSlotTimeout of [undefined, 900_000]) {
      gate = await openGate({
        freeSlot: () => throwError(() => ofProxy(404)),
        ...(freeSlotTimeout !== undefined && { freeSlotTimeout }),
      });
      await comeAndGo(1);
      gate.pass((freeSlotTimeout ?? 300_000) - 1);
      deepStrictEqual(kinds(), ['retrying']);
      gate.pass(1);
      deepStrictEqual(kinds(), ['retrying', 'hook_failed']);
      const { error } = gate.log.at(-1) as { readonly error?: string };
      strictEqual(error, `StatusError: 404 (POST ${request.url})`);
      if (freeSlotTimeout === undefined) await gate.close();
    }
  });

  it('is given up at once if nothing can be sent', async () => {
    const errors = [
      new InputError('player_token', 'a token', 'none'),
      new TransportError('client_closed', 'the client is closed', request),
      Object.assign(ofService(503), { isRepeatable: false }),
    ];
    for (const [i, error] of errors.entries()) {
      gate = await openGate({ freeSlot: () => throwError(() => error) });
      await comeAndGo(1);
      deepStrictEqual(kinds(), ['hook_failed']);
      if (i < errors.length - 1) await gate.close();
    }
  });

  it('logs an outage once for all players, and again if the error is another one or has come back', async () => {
    const answers = [502, 502, 404, 404, undefined, 404];
    let calls = 0;
    gate = await openGate({
      freeSlot: () => {
        const status = answers[calls];
        calls++;
        return status === undefined ? EMPTY : throwError(() => ofProxy(status));
      },
    });
    await comeAndGo(6);
    const errors = gate.log.flatMap(entry => (entry.kind === 'retrying' ? [entry.error.slice(0, 16)] : []));
    deepStrictEqual(errors, ['StatusError: 502', 'StatusError: 404', 'StatusError: 404']);
  });

  for (const [what, limited$] of [
    [
      'error',
      throwError(() => new StatusError(429, request, { code: 'API_RATE_LIMIT', retryAfter: 30_000 })),
    ],
    ['Response', of(new Response('', { status: 429, headers: { 'retry-after': '30' } }))],
  ] as const) {
    it(`waits once for all slots after a 429, as long as the ${what} says`, async () => {
      let calls = 0;
      const firstEnds$ = new Subject<void>();
      gate = await openGate({
        freeSlot: () => {
          calls++;
          return calls === 1 ? concat(firstEnds$, limited$) : EMPTY;
        },
      });
      await comeAndGo(1);
      firstEnds$.complete();
      await comeAndGo(3);
      gate.pass(29_999);
      strictEqual(calls, 1);
      gate.pass(1);
      strictEqual(calls, 4);
      gate.pass(1_000);
      deepStrictEqual([calls, kinds().filter(kind => kind === 'freed').length], [5, 4]);
    });
  }

  it('waits no longer than that although the clock of the machine has been set back', async () => {
    const time = settableTime();
    try {
      let calls = 0;
      gate = await openGate({
        time,
        freeSlot: () => {
          calls++;
          return calls === 1 ? throwError(() => ofService(429, 'API_RATE_LIMIT')) : EMPTY;
        },
      });
      await comeAndGo(1);
      time.setBack(3_600_000);
      await comeAndGo(1);
      // A second without `Retry-After`. Then the first call is made again after a backoff.
      gate.pass(2_000);
      deepStrictEqual([calls, kinds().filter(kind => kind === 'freed').length], [3, 2]);
    } finally {
      time.restore();
    }
  });

  it('refuses the token of a player who has left without asking the service, until their slot is free', async () => {
    const freed$ = new Subject<void>();
    gate = await openGate({ freeSlot: () => freed$ });
    const token = gate.reserveToken();
    const { ws } = await connectPlayer(at(`?token=${token}`));
    ws.close();
    await waitUntil(() => freed$.observed);
    for (const asked of [1, 2]) {
      const result = await tryConnect(at(`?token=${token}`));
      ok(result.kind === 'refused' && result.body === 'already_connected');
      ok(!('retry-after' in result.headers));
      strictEqual(confirmations(gate), asked);
      freed$.complete();
    }
  });
});

/** Has the tag of an error of this library, and nothing that belongs to it. */
function hostile(): unknown {
  return Object.defineProperty(new StatusError(400, request), 'status', {
    get: () => {
      throw new Error('no');
    },
  });
}
