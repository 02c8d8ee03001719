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
  retry,
  switchMap,
  tap,
  throwError,
  timer,
  type Observable,
  type ObservableInput,
} from 'rxjs';
import {
  isTransportError,
  TransportError,
  withDeadline,
  withToken,
  type Token,
  type Transport,
  type TransportRequest,
} from 'lobby-rx';
import { marbles } from '../marbles.js';

const get: TransportRequest = { method: 'GET', url: 'https://group.example/', headers: {} };
const headers = { get: () => null };

/** A service that accepts one token, and answers every other with a 401. */
function service(good: string) {
  const tokens: (string | undefined)[] = [];
  const transport: Transport = ({ headers: { authorization } }) => {
    tokens.push(authorization?.replace('Bearer ', ''));
    return of({ status: authorization === `Bearer ${good}` ? 200 : 401, headers, text: `${authorization}?` });
  };
  return { tokens, transport };
}

const status = (answer$: Observable<{ status: number }>) =>
  lastValueFrom(answer$.pipe(map(answer => answer.status)));

describe('withToken', () => {
  it('sends a string as the token, and calls a provider for each request', async () => {
    let issued = 0;
    const provider = () => `token-${++issued}`;
    const { tokens, transport } = service('token-2');
    const providing = withToken(transport, why => (why === 'request' ? provider() : 'none'));
    await status(withToken(transport, 'token-2')(get));
    await status(providing(get));
    await status(providing(get));
    deepStrictEqual(tokens, ['token-2', 'token-1', 'none', 'token-2']);
  });

  it('accepts a string, a promise, an Observable or an iterable from a provider', async () => {
    for (const token of [
      () => 'abc',
      () => Promise.resolve('abc'),
      () => of('abc', 'later'),
      () => ['abc'],
    ]) {
      strictEqual(await status(withToken(service('abc').transport, token)(get)), 200);
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

  it('asks for a fresh token after a 401, and returns a second 401 as the answer', async () => {
    const whys: string[] = [];
    const token: Token = why => {
      whys.push(why);
      return why === 'request' ? 'stale' : 'fresh';
    };
    const { tokens, transport } = service('fresh');
    strictEqual(await status(withToken(transport, token)(get)), 200);
    deepStrictEqual(
      [tokens, whys],
      [
        ['stale', 'fresh'],
        ['request', 'rejected'],
      ],
    );

    const hopeless = service('another');
    strictEqual(await status(withToken(hopeless.transport, token)(get)), 401);
    deepStrictEqual(hopeless.tokens, ['stale', 'fresh']);
    const fixed = service('another');
    strictEqual(await status(withToken(fixed.transport, 'stale')(get)), 401);
    deepStrictEqual(fixed.tokens, ['stale']);
  });

  it(
    'renews once for all requests that are waiting or arrive in the meantime',
    marbles(({ cold, expectObservable, flush }) => {
      const whys: string[] = [];
      let current = 'stale';
      const token: Token = why => {
        whys.push(why);
        if (why === 'request') return current;
        return cold('-----(f|)', { f: 'fresh' }).pipe(tap(fresh => (current = fresh)));
      };
      const { transport } = service('fresh');
      // Both are sent with the stale token before the first 401 arrives.
      const slow: Transport = request => cold('-(a|)').pipe(concatMap(() => transport(request)));
      const status$ = withToken(slow, token)(get).pipe(map(answer => String(answer.status)));
      expectObservable(status$).toBe('            -------(a|)', { a: '200' });
      expectObservable(status$).toBe('            -------(a|)', { a: '200' });
      expectObservable(status$, '---^').toBe('    -------(a|)', { a: '200' });
      expectObservable(status$, '---------^').toBe('----------(a|)', { a: '200' });
      flush();
      deepStrictEqual(whys, ['request', 'request', 'rejected', 'request']);
    }),
  );

  it(
    'does not renew again after a late 401 for a token that was already renewed',
    marbles(({ expectObservable, flush }) => {
      const whys: string[] = [];
      let current = 'stale';
      const token: Token = why => {
        whys.push(why);
        if (why === 'rejected') current = 'fresh';
        return current;
      };
      const { transport } = service('fresh');
      const delays = [1, 5, 1, 1];
      const slow: Transport = request => timer(delays.shift() ?? 0).pipe(concatMap(() => transport(request)));
      const status$ = withToken(slow, token)(get).pipe(map(answer => String(answer.status)));
      expectObservable(status$).toBe('--(a|)', { a: '200' });
      expectObservable(status$).toBe('------(a|)', { a: '200' });
      flush();
      deepStrictEqual(whys, ['request', 'request', 'rejected', 'request']);
    }),
  );

  it(
    'renews once if a renewal overtakes the old token, and waits for a renewal in progress',
    marbles(({ cold, expectObservable, flush }) => {
      const whys: string[] = [];
      let current = 'first';
      const token: Token = why => {
        whys.push(why);
        if (why === 'rejected') return cold('--(f|)', { f: (current = 'second') });
        // The first call takes so long that a renewal is over before it returns.
        return whys.length === 1 ? cold('------(t|)', { t: 'first' }) : current;
      };
      const { transport } = service('second');
      const status$ = withToken(transport, token)(get).pipe(map(answer => String(answer.status)));
      expectObservable(status$).toBe('------(a|)', { a: '200' });
      expectObservable(status$).toBe('--(a|)', { a: '200' });
      flush();
      strictEqual(whys.filter(why => why === 'rejected').length, 1);
    }),
  );

  /** A provider that gives `token-0`, and the next one after each rejection. `whys` has the reason of each call. */
  function counter(renewing: (fresh: string) => ObservableInput<string> = fresh => of(fresh)) {
    const whys: string[] = [];
    let n = 0;
    const token: Token = why => {
      whys.push(why);
      return why === 'request' ? `token-${n}` : renewing(`token-${++n}`);
    };
    return { whys, token };
  }

  it('does not reuse a finished renewal for a request that is sent in response to the answer', () => {
    const { whys, token } = counter();
    const { tokens, transport } = service('token-1');
    const authorized = withToken(transport, token);
    const got: number[] = [];
    authorized(get)
      .pipe(switchMap(() => authorized(get)))
      .subscribe(answer => got.push(answer.status));
    deepStrictEqual(got, [200]);
    deepStrictEqual(tokens, ['token-0', 'token-1', 'token-1']);
    deepStrictEqual(whys, ['request', 'rejected', 'request']);
  });

  it(
    'waits for a renewal that started in response to the previous one',
    marbles(({ cold, expectObservable, flush }) => {
      const delays = ['(a|)', '---(a|)'];
      const { whys, token } = counter(fresh => cold(delays.shift()!, { a: fresh }));
      // The first renewed token is good for one request only.
      let good = 'token-1';
      const transport: Transport = ({ headers: { authorization } }) => {
        const isGood = authorized(authorization, good);
        if (isGood) good = 'token-2';
        return of({ status: isGood ? 200 : 401, headers, text: '' });
      };
      const authorized = (header: string | undefined, token: string) => header === `Bearer ${token}`;
      const send = withToken(transport, token);
      const letter = map(({ status }: { status: number }) => (status === 200 ? 'y' : 'n'));
      expectObservable(send(get).pipe(switchMap(() => send(get).pipe(letter)))).toBe('---(y|)');
      expectObservable(send(get).pipe(letter), '-^').toBe('---(y|)');
      flush();
      deepStrictEqual(whys, ['request', 'rejected', 'request', 'rejected']);
    }),
  );

  it(
    'does not reuse a renewal that failed or was abandoned',
    marbles(({ cold, expectObservable, flush }) => {
      const { transport } = service('none');
      const failing = counter(() => cold('-#'));
      const status$ = withToken(
        transport,
        failing.token,
      )(get).pipe(
        retry(1),
        catchError(() => of('over')),
      );
      expectObservable(status$).toBe('--(o|)', { o: 'over' });
      const hanging = counter(() => NEVER);
      const authorized = withToken(transport, hanging.token);
      expectObservable(authorized(get), '--!');
      expectObservable(authorized(get), '---^-!');
      flush();
      deepStrictEqual(failing.whys, ['request', 'rejected', 'request', 'rejected']);
      deepStrictEqual(hanging.whys, ['request', 'rejected', 'request', 'rejected']);
    }),
  );

  it('redacts the rejected token, too, in the answer to the renewed one', async () => {
    const transport: Transport = () =>
      of({ status: 401, headers, text: '{"message":"first OLD-token, then NEW-token"}' });
    const answer = await lastValueFrom(
      withToken(transport, why => (why === 'rejected' ? 'NEW-token' : 'OLD-token'))(get),
    );
    strictEqual(answer.text, '{"message":"first [secret], then [secret]"}');
  });

  it(
    'fails with a clear error and sends nothing if the provider gives no token',
    marbles(({ expectObservable, flush }) => {
      const providers: readonly [Token, RegExp][] = [
        [() => '', /the token provider gave an empty string/],
        [() => of('two words'), /gave a string with spaces/],
        [() => throwError(() => new RangeError('my refresh token r3fresh')), /failed with RangeError/],
        [
          () => {
            throw new Error('my refresh token r3fresh');
          },
          /failed with Error/,
        ],
        // For example, from a client of this library that the provider gets its tokens with.
        [
          () =>
            throwError(
              () => new TransportError('lost', 'the connection was lost', { method: 'POST', url: '' }),
            ),
          /failed with TransportError/,
        ],
        [() => undefined as never, /gave nothing/],
        [() => [7] as never, /gave 7/],
        [() => EMPTY, /completed without one/],
        [() => NEVER, /gave none within 15000 ms/],
      ];
      const { tokens, transport } = service('x');
      const seen = new Map<Token, unknown>();
      for (const [token] of providers) {
        const error$ = withToken(
          transport,
          token,
        )(get).pipe(
          catchError((error: unknown) => {
            seen.set(token, error);
            return EMPTY;
          }),
        );
        expectObservable(error$, '20s !');
      }
      flush();
      for (const [token, pattern] of providers) {
        const error = seen.get(token);
        ok(isTransportError(error) && error.reason === 'not_sent');
        deepStrictEqual(error.request, { method: 'GET', url: get.url });
        ok(!inspect(error).includes('r3fresh'));
        match(error.message, pattern);
      }
      deepStrictEqual(tokens, []);
    }),
  );

  it(
    'keeps what the provider threw as the cause, without anything that may be a token',
    marbles(({ flush }) => {
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
        let seen: unknown;
        const { transport } = service('x');
        withToken(transport, () => throwError(() => error))(get).subscribe({
          error: (e: unknown) => (seen = e),
        });
        flush();
        const { name, code, message } = (seen as TransportError).cause as Error & { code?: unknown };
        deepStrictEqual([name, code, message], expected);
      }
    }),
  );

  it('says at once if the provider sends a request through its own client', () => {
    for (const why of ['request', 'rejected'] as const) {
      const errors: unknown[] = [];
      const rejecting: Transport = () => of({ status: 401, headers, text: '' });
      const client: Transport = withToken(rejecting, asked => {
        if (asked !== why) return 'old';
        return client(get).pipe(map(({ text }) => text));
      });
      client(get).subscribe({ error: (error: unknown) => errors.push(error) });
      const [error] = errors;
      ok(isTransportError(error) && error.reason === 'not_sent');
      match(error.message, /sent a request through its own client/);
    }
  });

  it('leaves a successful answer unchanged, and redacts every other', async () => {
    for (const status of [200, 204, 299]) {
      const answer = { status, headers, text: 'a t0ken' };
      strictEqual(await lastValueFrom(withToken(() => of(answer), 't0ken')(get)), answer);
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

describe('withDeadline', () => {
  it(
    'aborts a request that is not answered in time',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const hung = cold<never>('-');
      const reason$ = withDeadline(
        () => hung,
        5,
      )(get).pipe(
        catchError((error: unknown) => of(isTransportError(error) && `${error.reason}: ${error.message}`)),
      );
      expectObservable(reason$).toBe('-----(a|)', {
        a: 'deadline: no answer within 5 ms (GET https://group.example/)',
      });
      expectSubscriptions(hung.subscriptions).toBe('^----!');
    }),
  );

  it('refuses an invalid deadline', () => {
    throws(() => withDeadline(() => NEVER, -1), /^InputError: deadline must be a number of milliseconds/);
  });
});
