import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert';
import { inspect } from 'node:util';
import { assert as check, asyncProperty, string } from 'fast-check';
import {
  catchError,
  concatMap,
  EMPTY,
  lastValueFrom,
  map,
  NEVER,
  of,
  switchMap,
  tap,
  throwError,
  timer,
  type Observable,
} from 'rxjs';
import {
  isTransportError,
  isUnauthorizedError,
  TransportError,
  withTimeout,
  withToken,
  type Token,
  type TokenProvider,
  type TokenValue,
  type Transport,
  type TransportRequest,
} from 'lobby-rx';
import { marbles } from '../../marbles.js';
import { virtualTime } from '../../virtual-time.js';

const get: TransportRequest = { method: 'GET', url: 'https://group.example/', headers: {} };
const headers = { get: () => null };

/**
 * A service that accepts one token, and refuses every other with a 401 of its own, or of a proxy
 * before it.
 */
function service(good: string, refusal = '{"code":"CLAIMS_ENTITLEMENT_EXPIRED"}') {
  const tokens: (string | undefined)[] = [];
  const transport: Transport = ({ headers: { authorization } }) => {
    tokens.push(authorization?.replace('Bearer ', ''));
    const isGood = authorization === `Bearer ${good}`;
    return of({ status: isGood ? 200 : 401, headers, text: isGood ? '' : refusal });
  };
  return { tokens, transport };
}

/** A provider whose session changes as `renew` says. `calls` has the name of each call. */
function provider(
  first: string | null,
  renew: (session: { token: string | null }) => ReturnType<TokenProvider['renew']>,
) {
  const calls: string[] = [];
  const session = { token: first };
  const token: TokenProvider = {
    get: () => (calls.push('get'), session.token),
    renew: () => (calls.push('renew'), renew(session)),
  };
  return { calls, session, token };
}

const status = (answer$: Observable<{ status: number }>) =>
  lastValueFrom(answer$.pipe(map(answer => answer.status)));

const failure = (answer$: Observable<unknown>) => lastValueFrom(answer$).catch((error: unknown) => error);

describe('withToken', () => {
  it('sends a string as the token, and asks a function before each request', async () => {
    let issued = 0;
    const { tokens, transport } = service('token-2');
    const asking = withToken(transport, () => `token-${++issued}`);
    await status(withToken(transport, 'token-2')(get));
    // The first one is refused, and the function has another.
    await status(asking(get));
    await status(asking(get));
    deepStrictEqual(tokens, ['token-2', 'token-1', 'token-2', 'token-3', 'token-4', 'token-5']);
  });

  it('takes a string, a promise, an Observable or an iterable of one from get, and from renew', async () => {
    const ways: readonly ((token: string) => TokenValue)[] = [
      token => token,
      token => Promise.resolve(token),
      token => of(token, 'later'),
      token => [token],
    ];
    for (const way of ways) {
      strictEqual(await status(withToken(service('abc').transport, () => way('abc'))(get)), 200);
      const token = { get: () => way('old'), renew: () => way('abc') };
      strictEqual(await status(withToken(service('abc').transport, token)(get)), 200);
    }
  });

  it('asks get again if renew gives nothing, as an async function does, or an Observable that emits undefined', async () => {
    for (const renewed of [undefined, Promise.resolve(), of(undefined)]) {
      const { token, calls } = provider('old', session => {
        session.token = 'abc';
        return renewed;
      });
      strictEqual(await status(withToken(service('abc').transport, token)(get)), 200);
      deepStrictEqual(calls, ['get', 'get', 'renew', 'get']);
    }
  });

  it('says that nobody is signed in if get gives null or undefined, and sends nothing', async () => {
    for (const nobody of [null, undefined, Promise.resolve(null), Promise.resolve(undefined), of(null)]) {
      const { tokens, transport } = service('abc');
      for (const token of [() => nobody, { get: () => nobody, renew: () => 'abc' }]) {
        const error = await failure(withToken(transport, token)(get));
        ok(isUnauthorizedError(error) && error.cause === undefined);
        deepStrictEqual(error.request, { method: 'GET', url: get.url });
      }
      deepStrictEqual(tokens, []);
    }
  });

  it('emits the 401 as that of somebody who is signed out if renew gives null, whoever refused', async () => {
    for (const refusal of ['{"code":"TOKEN_EXPIRED"}', '<html>']) {
      for (const nobody of [null, Promise.resolve(null)]) {
        const { token } = provider('old', () => nobody);
        const answer = await lastValueFrom(withToken(service('abc', refusal).transport, token)(get));
        deepStrictEqual([answer.status, answer.isSignedOut], [401, true]);
      }
    }
  });

  it('adds nothing if something else adds the token, and redacts the rest', async () => {
    const sent: TransportRequest[] = [];
    const text = '{"message":"p-s3cret"}';
    const transport: Transport = request => (sent.push(request), of({ status: 401, headers, text }));
    const body = '{"player_token":"p-s3cret"}';
    const answer = await lastValueFrom(withToken(transport, false)({ ...get, headers: { a: 'b' }, body }));
    deepStrictEqual(
      sent.map(request => request.headers),
      [{ a: 'b' }],
    );
    ok(!answer.text.includes('s3cret'));
    strictEqual(answer.status, 401);
  });

  it('sends a request once with its token, once with a renewed one, and emits the last 401 as the answer', async () => {
    const { token, calls } = provider('stale', session => {
      session.token = 'fresh';
      return session.token;
    });
    const { tokens, transport } = service('fresh');
    strictEqual(await status(withToken(transport, token)(get)), 200);
    deepStrictEqual([tokens, calls], [['stale', 'fresh'], ['get', 'get', 'renew']]); // prettier-ignore

    const hopeless = service('another');
    strictEqual(await status(withToken(hopeless.transport, provider('a', () => 'b').token)(get)), 401);
    deepStrictEqual(hopeless.tokens, ['a', 'b']);
  });

  it('sends a string once, and once what a function gives, if it gives the same again', async () => {
    for (const token of ['stale', () => 'stale'] as const) {
      const { tokens, transport } = service('another');
      const authorized = withToken(transport, token);
      strictEqual(await status(authorized(get)), 401);
      deepStrictEqual(tokens, ['stale']);
      // Nothing is kept of it: what refused it may have been wrong.
      strictEqual(await status(authorized(get)), 401);
      deepStrictEqual(tokens, ['stale', 'stale']);
    }
  });

  it('sends a request with a token that somebody else has put in its place, then with one that is renewed for it', async () => {
    // Another watch renewed the token while the request was held. The new token was revoked, too.
    const { token, calls, session } = provider('t0', now => {
      now.token = 't2';
      return now.token;
    });
    const { tokens, transport } = service('t2');
    const moving: Transport = request => {
      session.token = session.token === 't0' ? 't1' : session.token;
      return transport(request);
    };
    strictEqual(await status(withToken(moving, token)(get)), 200);
    deepStrictEqual(tokens, ['t0', 't1', 't2']);
    deepStrictEqual(calls, ['get', 'get', 'get', 'renew']);
  });

  it('sends a request three times at most', async () => {
    let n = 0;
    const { tokens, transport } = service('none');
    strictEqual(
      await status(withToken(transport, { get: () => `t${n++}`, renew: () => `t${n++}` })(get)),
      401,
    );
    deepStrictEqual(tokens, ['t0', 't1', 't2']);
  });

  it('never sends again what the service has rejected: it renews first, and says so if that gives the same', async () => {
    const { token, calls, session } = provider('old', () => 'fresh');
    const { tokens, transport } = service('fresh');
    const authorized = withToken(transport, token);
    await status(authorized(get));
    session.token = 'old';
    strictEqual(await status(authorized(get)), 200);
    deepStrictEqual(tokens, ['old', 'fresh', 'fresh']);
    deepStrictEqual(calls, ['get', 'get', 'renew', 'get', 'renew']);

    const stubborn = service('another');
    const same = withToken(stubborn.transport, { get: () => 'old', renew: () => 'old' });
    strictEqual(await status(same(get)), 401);
    const error = await failure(same(get));
    ok(isUnauthorizedError(error) && error.cause === undefined);
    deepStrictEqual(stubborn.tokens, ['old']);
  });

  it('renews after the 401 of a proxy once a minute at most, and does not hold it against the token', async () => {
    const proxy = service('none', '<html>sign in</html>');
    const { token, calls } = provider('old', () => 'old');
    let now = 0;
    const authorized = withToken(proxy.transport, token, undefined, { clock: { now: () => now } });
    for (now of [0, 59_999, 60_000]) strictEqual(await status(authorized(get)), 401);
    deepStrictEqual(proxy.tokens, ['old', 'old', 'old']);
    deepStrictEqual(calls, ['get', 'get', 'renew', 'get', 'get', 'get', 'get', 'renew']);
  });

  it(
    'does not count a 401 that comes after 2 s: the token has expired while the service held the poll',
    marbles(({ expectObservable, flush }) => {
      let n = 0;
      const { tokens, transport } = service('t5');
      const delays = [40_000, 30_000, 10];
      const held: Transport = request => timer(delays.shift()!).pipe(concatMap(() => transport(request)));
      const token: TokenProvider = { get: () => `t${n}`, renew: () => `t${++n}` };
      const poll: TransportRequest = { ...get, kind: 'poll' };
      const status$ = withToken(held, token)(poll).pipe(map(answer => String(answer.status)));
      // Two held ones, then one that comes at once with a renewed token: that is the answer.
      expectObservable(status$).toBe('70s 10ms (a|)', { a: '401' });
      flush();
      deepStrictEqual(tokens, ['t0', 't1', 't2']);
    }),
  );

  it(
    'renews once for all requests that are waiting or arrive in the meantime',
    marbles(({ cold, expectObservable, flush }) => {
      const { token, calls } = provider('stale', session =>
        cold('-----(f|)', { f: 'fresh' }).pipe(
          tap(fresh => {
            session.token = fresh;
          }),
        ),
      );
      const { transport } = service('fresh');
      // Both are sent with the stale token before the first 401 arrives.
      const slow: Transport = request => cold('-(a|)').pipe(concatMap(() => transport(request)));
      const status$ = withToken(slow, token)(get).pipe(map(answer => String(answer.status)));
      expectObservable(status$).toBe('            -------(a|)', { a: '200' });
      expectObservable(status$).toBe('            -------(a|)', { a: '200' });
      expectObservable(status$, '---^').toBe('    -------(a|)', { a: '200' });
      expectObservable(status$, '---------^').toBe('----------(a|)', { a: '200' });
      flush();
      strictEqual(calls.filter(call => call === 'renew').length, 1);
    }),
  );

  it(
    'does not renew again after a late 401 for a token that was already renewed',
    marbles(({ expectObservable, flush }) => {
      const { token, calls } = provider('stale', session => {
        session.token = 'fresh';
        return session.token;
      });
      const { transport } = service('fresh');
      const delays = [1, 5, 1, 1];
      const slow: Transport = request => timer(delays.shift() ?? 0).pipe(concatMap(() => transport(request)));
      const status$ = withToken(slow, token)(get).pipe(map(answer => String(answer.status)));
      expectObservable(status$).toBe('--(a|)', { a: '200' });
      expectObservable(status$).toBe('------(a|)', { a: '200' });
      flush();
      strictEqual(calls.filter(call => call === 'renew').length, 1);
    }),
  );

  it(
    'shares a slow get with all requests that ask while it works, and asks again for later ones',
    marbles(({ cold, expectObservable, flush }) => {
      let calls = 0;
      const { transport } = service('t');
      const authorized = withToken(transport, () => cold('---(t|)', { t: `t${calls++ > 9 ? '?' : ''}` }));
      const status$ = authorized(get).pipe(map(answer => String(answer.status)));
      expectObservable(status$).toBe('    ---(a|)', { a: '200' });
      expectObservable(status$, '--^').toBe('---(a|)', { a: '200' });
      expectObservable(status$.pipe(switchMap(() => status$))).toBe('------(a|)', { a: '200' });
      flush();
      strictEqual(calls, 2);
    }),
  );

  it('does not reuse a finished renewal for a request that is sent in response to the answer', () => {
    const { token, calls } = provider('t0', session => {
      session.token = 't1';
      return session.token;
    });
    const { tokens, transport } = service('t1');
    const authorized = withToken(transport, token);
    const got: number[] = [];
    authorized(get)
      .pipe(switchMap(() => authorized(get)))
      .subscribe(answer => got.push(answer.status));
    deepStrictEqual(got, [200]);
    deepStrictEqual(tokens, ['t0', 't1', 't1']);
    deepStrictEqual(calls, ['get', 'get', 'renew', 'get']);
  });

  it(
    'renews anew after a renewal that was abandoned',
    marbles(({ expectObservable, flush }) => {
      const { token, calls } = provider('t0', () => NEVER);
      const authorized = withToken(service('none').transport, token);
      expectObservable(authorized(get), '--!');
      expectObservable(authorized(get), '---^-!');
      flush();
      strictEqual(calls.filter(call => call === 'renew').length, 2);
    }),
  );

  it(
    'gives a failure of get or renew to all who ask within a second',
    marbles(({ expectObservable, flush }) => {
      for (const name of ['get', 'renew'] as const) {
        for (const down of [
          () => throwError(() => new Error('down')),
          () => {
            throw new Error('down');
          },
        ]) {
          // prettier-ignore
          let calls = 0;
          const failing = () => (calls++, down());
          const token: TokenProvider = { get: () => 'old', renew: () => 'new', [name]: failing };
          const authorized = withToken(service('none').transport, token);
          const reason$ = authorized(get).pipe(
            catchError((error: unknown) => of(isTransportError(error) && error.reason)),
          );
          for (const at of ['^', '^', '500ms ^', '999ms ^', '1s ^', '1500ms ^'])
            expectObservable(reason$, at);
          flush();
          strictEqual(calls, 2);
        }
      }
    }),
  );

  it('counts a slow 401 of anything but a poll', async () => {
    let n = 0;
    const { tokens, transport } = service('none');
    const { scheduler } = virtualTime();
    const slow: Transport = request => {
      scheduler.frame += 5_000;
      return transport(request);
    };
    const token: TokenProvider = { get: () => `t${n}`, renew: () => `t${++n}` };
    strictEqual(await status(withToken(slow, token, scheduler)(get)), 401);
    deepStrictEqual(tokens, ['t0', 't1']);
  });

  it('has one renewal in flight, although who waited for it is gone', async () => {
    let [calls, running, most] = [0, 0, 0];
    const settle: (() => void)[] = [];
    const { token } = provider('old', session => {
      calls++;
      most = Math.max(most, ++running);
      return new Promise<string>(resolve =>
        settle.push(() => {
          running--;
          session.token = 'fresh';
          resolve(session.token);
        }),
      );
    });
    const { tokens, transport } = service('fresh');
    const authorized = withToken(transport, token);
    for (let i = 0; i < 3; i++) authorized(get).subscribe().unsubscribe();
    const answered = status(authorized(get));
    settle[0]!();
    strictEqual(await answered, 200);
    deepStrictEqual([calls, most, tokens.at(-1)], [1, 1, 'fresh']);
    // What nobody has waited for to its end is not kept.
    authorized(get).subscribe().unsubscribe();
    strictEqual(await status(authorized(get)), 200);
  });

  it('takes an answer with an empty ray id for that of a proxy, and one with odd fields beside its code for the service’s', async () => {
    const sends = async (refusal: string) => {
      const { tokens, transport } = service('none', refusal);
      const authorized = withToken(transport, { get: () => 'old', renew: () => undefined });
      await failure(authorized(get));
      await failure(authorized(get));
      return tokens.length;
    };
    for (const refusal of [
      '{"ray_id":""}',
      '{"code":401}',
      '[]',
      'null',
      '7',
      '{"ray_id":"a","code":7}',
      '{"ray_id":"a"}',
      '{"code":"unauthenticated","ray_id":"a"}',
    ])
      strictEqual(await sends(refusal), 2, refusal);
    for (const refusal of ['{"code":"X","message":{}}', '{"code":"X","ray_id":12}'])
      strictEqual(await sends(refusal), 1, refusal);
  });

  it('shows no token that a token function’s error has in its stack, or that has only a tag of this library', async () => {
    const changed = new Error('cannot store fresh-Tok-91x');
    ok(changed.stack);
    changed.message = 'renewal failed';
    const appended = new Error('cannot renew');
    appended.stack =
      `${appended.stack}` + '\ncaused by: Error: bad fresh-Tok-91x\n    at x (file:///a.js:1:1)';
    const tagged = { _tag: 'StatusError', config: { authorization: 'fresh-Tok-91x' } };
    const thrown = [
      changed,
      appended,
      { message: 'no', stack: 'zzz fresh-Tok-91x\n at' },
      Object.assign(new Error('bad fresh-Tok-91x'), tagged),
      new Error('no', { cause: new Error('bad fresh-Tok-91x') }),
    ];
    for (const error of thrown) {
      const seen = await failure(withToken(service('x').transport, () => throwError(() => error))(get));
      ok(isTransportError(seen));
      ok(!inspect(seen, { depth: 9, showHidden: true }).includes('91x'), inspect(seen));
      ok(!JSON.stringify(seen).includes('91x'));
    }
    const refused = Object.assign(new TypeError('fetch failed'), {
      cause: { code: 'ECONNREFUSED', message: 'connect' },
    });
    const seen = await failure(withToken(service('x').transport, () => Promise.reject(refused))(get));
    match(JSON.stringify(seen), /ECONNREFUSED/);
  });

  it('redacts the rejected token, too, in the answer to the renewed one', async () => {
    const transport: Transport = () =>
      of({ status: 401, headers, text: '{"message":"first OLD-token, then NEW-token"}' });
    const answer = await lastValueFrom(
      withToken(transport, { get: () => 'OLD-token', renew: () => 'NEW-token' })(get),
    );
    strictEqual(answer.text, '{"message":"first [secret], then [secret]"}');
  });

  it(
    'fails with a clear error and sends nothing if the token function gives no token',
    marbles(({ flush }) => {
      const functions: readonly [() => TokenValue, RegExp][] = [
        [() => '', /gave an empty string/],
        [() => 'Bearer abc', /gave a string that begins with 'Bearer'/],
        [() => of('two words'), /gave a string with spaces/],
        [
          () => throwError(() => new RangeError('my refresh token r3fresh')),
          /failed: RangeError: my refresh token \[secret\]/,
        ],
        [
          () => {
            throw new Error('my refresh token r3fresh');
          },
          /failed: Error: my refresh token \[secret\]/,
        ],
        // For example, from a client of this library that the function gets its tokens with.
        [
          () =>
            throwError(
              () => new TransportError('lost', 'the connection was lost', { method: 'POST', url: '' }),
            ),
          /failed: TransportError: the connection was lost/,
        ],
        [() => 7 as never, /gave 7/],
        [() => new String('t') as never, /gave a String object, not a string/],
        [() => [7] as never, /gave 7/],
        [() => EMPTY, /completed without a token/],
        [() => NEVER, /gave none within 15000 ms/],
      ];
      const forms: readonly [string, (ask: () => TokenValue) => Token][] = [
        ['the token function', ask => ask],
        ['token.get', ask => ({ get: ask, renew: () => 'x' })],
        ['token.renew', ask => ({ get: () => 'old', renew: ask })],
      ];
      for (const [name, form] of forms) {
        for (const [ask, pattern] of functions) {
          const { tokens, transport } = service('x');
          let error: unknown;
          withToken(
            transport,
            form(ask),
          )(get).subscribe({
            error: (e: unknown) => {
              error = e;
            },
          });
          flush();
          ok(isTransportError(error) && error.reason === 'not_sent', `${name} ${String(pattern)}`);
          deepStrictEqual(error.request, { method: 'GET', url: get.url });
          ok(!inspect(error).includes('r3fresh'));
          match(error.message, new RegExp(`^nothing was sent: ${name} ${pattern.source}`));
          deepStrictEqual(tokens, name === 'token.renew' ? ['old'] : []);
        }
      }
    }),
  );

  it('keeps what a token function threw as the cause, with its own stack, without anything that may be a token', async () => {
    const thrown: readonly [unknown, unknown][] = [
      [
        Object.assign(new TypeError('grant r3fresh expired (401) for TheT0ken'), { code: 'E_GRANT' }),
        ['TypeError', 'E_GRANT', 'grant [secret] expired (401) for [secret]'],
      ],
      ['no session', ['Error', undefined, 'no session']],
      [{ message: 7 }, ['Error', undefined, 'object']],
      [Object.create({ get message() { throw new Error('mine'); } }), ['Error', undefined, 'object']], // prettier-ignore
    ];
    for (const [error, expected] of thrown) {
      const { transport } = service('x');
      const seen = (await failure(
        withToken(transport, () => throwError(() => error))(get),
      )) as TransportError;
      const { name, code, message } = seen.cause as Error & { code?: unknown };
      deepStrictEqual([name, code, message], expected);
    }
    const brokenSession = () => (undefined as unknown as { token: string }).token;
    const seen = (await failure(withToken(service('x').transport, brokenSession)(get))) as TransportError;
    match(
      seen.message,
      /the token function failed: TypeError: Cannot read properties of undefined \(reading 'token'\)/,
    );
    match((seen.cause as Error).stack!, /^TypeError: Cannot read .*\n +at brokenSession \(/);
  });

  it('says at once if get or renew sends a request through its own client', () => {
    for (const name of ['get', 'renew'] as const) {
      const errors: unknown[] = [];
      const rejecting: Transport = () => of({ status: 401, headers, text: '' });
      const nested = () => {
        client(get).subscribe({ error: (error: unknown) => errors.push(error) });
        return NEVER;
      };
      const token: TokenProvider = { get: () => 'old', renew: () => 'new', [name]: nested };
      const client: Transport = withToken(rejecting, token);
      client(get).subscribe().unsubscribe();
      const [error] = errors;
      ok(isTransportError(error) && error.reason === 'not_sent');
      match(error.message, /sent a request through its own client/);
    }
  });

  it('refuses what is no token, no function, and no pair of get and renew', () => {
    const refused: readonly [unknown, RegExp][] = [
      [
        undefined,
        /^InputError: token must be a bearer token, a function, \{ get, renew \}, or false; got undefined/,
      ],
      [null, /got null/],
      [7, /got 7/],
      [new String('t'), /got a String object, not a string/],
      [{}, /^InputError: token\.get must be a function; got undefined/],
      [{ get: () => 'a' }, /^InputError: token\.renew must be a function; got undefined/],
      [
        { get: 'a', renew: () => 'a' },
        /^InputError: token\.get must be a function; got a string of 1 character$/,
      ],
      [{ get: () => 'a', renew: () => 'a', refresh: 1 }, /^InputError: unknown option `token\.refresh`/],
    ];
    for (const [token, pattern] of refused) throws(() => withToken(() => NEVER, token as Token), pattern);
  });

  it('leaves a successful answer unchanged, and redacts every other', async () => {
    for (const status of [200, 204, 299]) {
      const answer = { status, headers, text: 'a t0ken' };
      const { text } = await lastValueFrom(withToken(() => of(answer), 't0ken')(get));
      strictEqual(text, answer.text);
    }
    for (const status of [101, 199, 300, 304, 400, 500]) {
      const quoting = { get: (name: string) => (name === 'rvt-ray-id' ? 'ray of t0ken' : null) };
      const answer = { status, headers: quoting, text: 'a t0ken' };
      const redacted = await lastValueFrom(withToken(() => of(answer), 't0ken')(get));
      deepStrictEqual([redacted.status, redacted.text], [status, 'a [secret]']);
      deepStrictEqual(
        [redacted.headers.get('rvt-ray-id'), redacted.headers.get('retry-after')],
        ['ray of [secret]', null],
      );
    }
  });

  it('redacts its token in an answer that quotes it, and in an error of the transport', async () => {
    const anyToken = string({ minLength: 4, unit: 'grapheme-ascii' }).filter(text => !/\s/.test(text));
    await check(
      asyncProperty(anyToken, async token => {
        const quoting = withToken(service('none').transport, token);
        const answer = await lastValueFrom(quoting(get));
        ok(!answer.text.includes(token) || 'Bearer [secret]?'.includes(token));
        const failing = withToken(
          ({ headers: { authorization } }) => throwError(() => new Error(authorization)),
          token,
        );
        const error: unknown = await lastValueFrom(failing(get)).catch((e: unknown) => e);
        ok(isTransportError(error));
        const shown = (error.cause as Error).message;
        ok(!shown.includes(token) || 'Bearer [secret]'.includes(token));
      }),
    );
  });
});

describe('withTimeout', () => {
  it('leaves it to a token that does not come in as long a time to say so', () => {
    const { scheduler, pass } = virtualTime();
    const errors: unknown[] = [];
    const authorized = withToken(service('x').transport, () => NEVER, scheduler);
    withTimeout(
      authorized,
      15_000,
      scheduler,
    )(get).subscribe({ error: (error: unknown) => errors.push(error) });
    pass(15_000);
    const [error] = errors;
    ok(isTransportError(error) && error.reason === 'not_sent');
  });

  it(
    'aborts a request that is not answered in time',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const hung = cold<never>('-');
      const reason$ = withTimeout(
        () => hung,
        5,
      )(get).pipe(
        catchError((error: unknown) => of(isTransportError(error) && `${error.reason}: ${error.message}`)),
      );
      expectObservable(reason$).toBe('-----(a|)', {
        a: 'timeout: no answer within 5 ms (GET https://group.example/)',
      });
      expectSubscriptions(hung.subscriptions).toBe('^----!');
    }),
  );

  it('refuses an invalid timeout', () => {
    throws(() => withTimeout(() => NEVER, -1), /^InputError: timeout must be a number of milliseconds/);
  });
});
