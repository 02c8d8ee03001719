import { deepStrictEqual, ok } from 'node:assert';
import { inspect } from 'node:util';
import { concat, EMPTY, lastValueFrom, NEVER, of, timeout, type Observable } from 'rxjs';
import {
  isTransportError,
  withToken,
  type Token,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from 'lobby-rx';

const get: TransportRequest = { method: 'GET', url: 'https://group.example/', headers: {} };
const headers = { get: () => null };
const answer = (status: number): TransportResponse => ({ status, headers, text: '{}' });

/** What a request ended with; nothing may be thrown outside of it. */
async function outcome(answer$: Observable<TransportResponse>): Promise<unknown> {
  const uncaught: unknown[] = [];
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  const onUncaught = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', onUncaught);
  try {
    const end = await lastValueFrom(answer$.pipe(timeout(200))).then(
      ({ status }) => status,
      (error: unknown) => error,
    );
    // RxJS reports what nobody handles in a timer of its own.
    await new Promise(resolve => setTimeout(resolve));
    deepStrictEqual(uncaught, []);
    return end;
  } finally {
    process.off('uncaughtException', onUncaught);
    for (const listener of listeners) process.on('uncaughtException', listener);
  }
}

describe('a transport that throws', () => {
  const throwing: Transport = ({ headers: { authorization } }) => {
    throw new Error(`cannot send ${authorization}`);
  };
  const tokens: readonly (readonly [string, Token])[] = [
    ['a string', 's3cret-token'],
    ['a provider', () => 's3cret-token'],
    ['a provider that takes its time', () => Promise.resolve('s3cret-token')],
  ];
  for (const [what, token] of tokens) {
    it(`fails the request, without the token, with ${what}`, async () => {
      const error = await outcome(withToken(throwing, token)(get));
      ok(isTransportError(error), inspect(error));
      ok(!inspect(error, { depth: 9 }).includes('s3cret'), inspect(error));
    });
  }

  it('fails the request if it throws with the fresh token', async () => {
    let sent = 0;
    const transport: Transport = request => (sent++ === 0 ? of(answer(401)) : throwing(request));
    const error = await outcome(
      withToken(transport, { get: () => 's3cret-token', renew: () => 's3cret-fresh' })(get),
    );
    ok(isTransportError(error), inspect(error));
  });
});

describe('a transport that answers strangely', () => {
  it('fails the request if the answer has no text', async () => {
    for (const text of [undefined, null, 7]) {
      const transport: Transport = () => of({ ...answer(500), text } as unknown as TransportResponse);
      const error = await outcome(withToken(transport, 's3cret-token')(get));
      ok(isTransportError(error), inspect(error));
    }
  });

  it('fails the request if there is no answer in what it emits', async () => {
    const transport: Transport = () => of(undefined as unknown as TransportResponse);
    const error = await outcome(withToken(transport, 's3cret-token')(get));
    ok(isTransportError(error), inspect(error));
  });

  it('renews the token once for two answers, and sends the request once more', async () => {
    let sent = 0;
    const transport: Transport = () =>
      sent++ === 0 ? concat(of(answer(401), answer(401)), EMPTY) : concat(of(answer(200)), NEVER);
    const asked: string[] = [];
    const ask = (name: string) => () => (asked.push(name), Promise.resolve(name));
    const token: Token = { get: ask('get'), renew: ask('renew') };
    const seen: number[] = [];
    withToken(transport, token)(get).subscribe(({ status }) => seen.push(status));
    // All of it is promises that are settled.
    await new Promise(resolve => setTimeout(resolve));
    deepStrictEqual([sent, seen, asked], [2, [200], ['get', 'get', 'renew']]);
  });
});
