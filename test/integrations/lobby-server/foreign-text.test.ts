import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { inspect } from 'node:util';
import { lastValueFrom, of, throwError, type Observable } from 'rxjs';
import { StatusError } from 'lobby-rx';
import { waitUntil } from '../../wait-until.js';
import { connectPlayer, tryConnect } from './connect-player.js';
import { openGate, type OpenGate } from './gate.js';
import { connectRaw } from './raw-client.js';

describe('lobbyGate and texts that others have written', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  it("passes on and logs a player's reason in one line, without their token", async () => {
    const token = 'tök/en';
    const ok$ = { connected: () => of(undefined) };
    gate = await openGate({ client: { matchmaker: { players: ok$ } } });
    const { ws } = await connectPlayer(at(`?token=${encodeURIComponent(token)}`));
    await waitUntil(() => gate.admitted.length === 1);
    ws.close(4000, `bye\r\n\u001b[31m${token} ${encodeURIComponent(token)}\u2028\u202egnp.exe`);
    const { reason } = await lastValueFrom(gate.admitted[0]!.closed$);
    strictEqual(reason, 'bye [31m[secret] [secret] gnp.exe');
    deepStrictEqual(
      gate.log.flatMap(entry => (entry.kind === 'left' ? [entry.reason] : [])),
      [reason],
    );
  });

  it("sends on and logs the service's code and reason in one line, cut, and without the token", async () => {
    const request = { method: 'POST', url: '/' } as const;
    const code = `NO_ENTRY\r\nX-Injected: 1 the-token ${'ä'.repeat(1_000)}`;
    const reason = `\u001b[31m${'x'.repeat(100_000)}the-token`;
    const connected = (): Observable<void> =>
      throwError(
        () => new StatusError(400, request, { code, reason, rayId: 'r\n1', metadata: ['the-token'] }),
      );
    const client = { matchmaker: { players: { connected } } };
    gate = await openGate({ client });
    const sent = `NO_ENTRY X-Injected: 1 [secret] ${'ä'.repeat(45)}`;
    strictEqual(Buffer.byteLength(sent), 122);

    const result = await tryConnect(at('?token=the-token'));
    ok(result.kind === 'refused');
    deepStrictEqual([result.status, result.body, result.headers['x-injected']], [403, sent, undefined]);
    const [entry] = gate.log;
    ok(entry?.kind === 'refused' && entry.error);
    strictEqual(entry.reason, sent);
    ok(/^StatusError: 400 NO_ENTRY X-Injected: 1 \[secret\] ä+ \(POST \/\)$/.test(entry.error), entry.error);
    ok(JSON.stringify(entry).length < 1_000 && !inspect(entry, { depth: Infinity }).includes('the-token'));
    await gate.close();

    gate = await openGate({ token: 'message', client });
    const { ws, closed } = await connectPlayer(at());
    ws.send('the-token');
    deepStrictEqual(await closed, { code: 4403, reason: sent });
  });

  it('logs the failure of a hook without the token, even if the hook has put it into a URL', async () => {
    const freeSlot = (token: string) =>
      throwError(() => new StatusError(404, { method: 'DELETE', url: `https://a.example/players/${token}` }));
    gate = await openGate({ freeSlot });
    const token = gate.reserveToken();
    const { ws } = await connectPlayer(at(`?token=${token}`));
    ws.close();
    await waitUntil(() => {
      gate.pass(60_000);
      return gate.log.some(({ kind }) => kind === 'hook_failed');
    });
    ok(!inspect(gate.log, { depth: Infinity }).includes(token));
  });

  it('logs the failure of a hook that throws what has no text', async () => {
    const get = () => {
      throw new Error('no');
    };
    gate = await openGate({ freeSlot: () => throwError(() => new Proxy(new Error(), { get })) });
    const { ws } = await connectPlayer(at(`?token=${gate.reserveToken()}`));
    ws.close();
    await waitUntil(() => {
      gate.pass(60_000);
      return gate.log.some(({ kind }) => kind === 'hook_failed');
    });
    const failures = gate.log.flatMap(entry => (entry.kind === 'hook_failed' ? [entry.error] : []));
    deepStrictEqual(failures, ['something unprintable']);
  });

  it('refuses a player, and logs an error that has no text', async () => {
    const get = () => {
      throw new Error('no');
    };
    const connected = (): Observable<void> => throwError(() => new Proxy(new Error(), { get }));
    gate = await openGate({ client: { matchmaker: { players: { connected } } } });
    await tryConnect(at('?token=the-token'));
    deepStrictEqual(
      gate.log.map(entry => entry.kind === 'refused' && entry.error),
      ['something unprintable'],
    );
  });

  it('logs errors of others by their name: they may quote the token', async () => {
    const connected = (): Observable<void> => throwError(() => new RangeError('the-token is broken'));
    gate = await openGate({ client: { matchmaker: { players: { connected } } } });
    await tryConnect(at('?token=the-token'));
    deepStrictEqual(
      gate.log.map(entry => entry.kind === 'refused' && entry.error),
      ['RangeError'],
    );
  });

  it('logs no name of an error that is the token, or no name', async () => {
    const names = ['the-token\nline 2', { token: 'the-token' }];
    let calls = 0;
    const connected = (): Observable<void> =>
      throwError(() => Object.assign(new Error(), { name: names[calls++] }));
    gate = await openGate({ client: { matchmaker: { players: { connected } } } });
    while (calls < names.length) await tryConnect(at('?token=the-token'));
    deepStrictEqual(
      gate.log.map(entry => entry.kind === 'refused' && entry.error),
      ['[secret] line 2', '[object Object]'],
    );
  });

  it('answers, and forgets no slot, if an error is not what its tag says', async () => {
    const get = (): never => {
      throw new Error('no');
    };
    const errors = [{ value: 7 }, { value: Symbol('x') }, { value: {} }, { get }];
    let calls = 0;
    const connected = (): Observable<void> =>
      throwError(() => Object.defineProperty({ _tag: 'StatusError', status: 400 }, 'code', errors[calls++]!));
    gate = await openGate({ client: { matchmaker: { players: { connected } } } });
    for (let n = 0; n < errors.length; n++) {
      const result = await tryConnect(at(`?token=token-${n}`));
      ok(result.kind === 'refused');
      deepStrictEqual([result.status, result.body], [503, 'outcome_unknown']);
    }
    gate.pass(10_000);
    deepStrictEqual(gate.unresolved.length, errors.length);
  });

  it('keeps a token out of the address that a client has made of it', async () => {
    gate = await openGate({ addressOf: ({ headers }) => String(headers['x-forwarded-for']) });
    const token = gate.reserveToken();
    await tryConnect(at(`?token=${token}`), { headers: { 'x-forwarded-for': token } });
    await waitUntil(() => gate.admitted.length === 1);
    ok(!inspect([gate.log, gate.admitted], { depth: Infinity }).includes(token));
    deepStrictEqual(gate.admitted[0]!.address, '[secret]');
  });

  it('keeps a token out of a header that a request has several times', async () => {
    gate = await openGate();
    const token = gate.reserveToken();
    const headers = `Set-Cookie: a=${token}\r\nSet-Cookie: b=2\r\n`;
    const client = await connectRaw(gate.port, `/?token=${token}`, '', headers);
    await waitUntil(() => gate.admitted.length === 1);
    deepStrictEqual(gate.admitted[0]!.headers['set-cookie'], ['a=[secret]', 'b=2']);
    client.destroy();
  });
});
