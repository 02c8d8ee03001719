import { deepStrictEqual, strictEqual } from 'node:assert';
import { catchError, defer, lastValueFrom, of, throwError } from 'rxjs';
import {
  backoff,
  createClient,
  playersConnected,
  StatusError,
  TransportError,
  whyNotConnected,
  type Transport,
} from 'lobby-rx';
import { rawServer } from '../raw-server.js';
import { runs } from '../runs.js';
import { virtualTime } from '../virtual-time.js';

const reply = (status: string, body = '') =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\nConnection: keep-alive\r\n\r\n${body}`;

/**
 * The outcome of one confirmation at a server that sends exactly this, and then hangs up or lets
 * time pass.
 */
async function outcomeAt(sent: string, then: 'end' | 'reset' | 'wait' = 'wait') {
  const { scheduler, pass } = virtualTime();
  const server = await rawServer(socket =>
    socket.write(sent, () => {
      if (sent === '' && then === 'wait') pass(15_000);
      if (then === 'end') socket.end();
      if (then === 'reset') socket.resetAndDestroy();
    }),
  );
  const urls = { groupUrl: server.url, matchmakerUrl: server.url, apiUrl: server.url };
  const client = createClient({ ...urls, token: 't', scheduler });
  const outcome$ = client.matchmaker.players
    .connected({ player_token: 'p' })
    .pipe(catchError((error: unknown) => of(whyNotConnected(error))));
  const outcome = await lastValueFrom(outcome$);
  await server.close();
  const requests = server.received().split('POST ').length - 1;
  strictEqual(requests, 1, 'it was sent more than once');
  return outcome;
}

const refusal = (code: string, status = '400 Bad Request') =>
  outcomeAt(reply(status, JSON.stringify({ code, message: '' })));

describe('a confirmation that does not end with OK', () => {
  it('is a refusal with its reason if the service refused', async () => {
    const reasons = {
      MATCHMAKER_PLAYER_ALREADY_CONNECTED: 'already_connected',
      MATCHMAKER_PLAYER_REGISTRATION_EXPIRED: 'registration_expired',
      MATCHMAKER_PLAYER_REMOVED: 'removed',
      MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY: 'in_different_lobby',
      TOKEN_ERROR: 'invalid_token',
      SOMETHING_NEW: 'SOMETHING_NEW',
    };
    for (const [code, reason] of Object.entries(reasons)) {
      deepStrictEqual(await refusal(code), { outcome: 'refused', reason });
    }
    deepStrictEqual(await refusal('CLAIMS_MISSING_ENTITLEMENT', '401 Unauthorized'), {
      outcome: 'later',
      reason: 'lobby_unauthorized',
    });
    deepStrictEqual(await outcomeAt(reply('409 Conflict')), { outcome: 'unknown' });
  });

  it('is a refusal only for a 4xx of the service itself, with the code as its reason if the code is unknown', () => {
    const request = { method: 'POST', url: 'https://matchmaker.example/' };
    const why = (status: number, code?: string) =>
      whyNotConnected(new StatusError(status, request, { rayId: '7', ...(code !== undefined && { code }) }));
    for (const status of [100, 304, 399, 500, 503]) deepStrictEqual(why(status), { outcome: 'unknown' });
    // The page of a proxy.
    for (const status of [400, 401, 403, 404]) {
      deepStrictEqual(whyNotConnected(new StatusError(status, request)), { outcome: 'unknown' });
    }
    for (const status of [400, 499]) {
      deepStrictEqual(why(status), { outcome: 'refused', reason: String(status) });
    }
    for (const status of [401, 403]) {
      deepStrictEqual(why(status), { outcome: 'later', reason: 'lobby_unauthorized' });
      deepStrictEqual(why(status, 'SOMETHING_NEW'), { outcome: 'later', reason: 'lobby_unauthorized' });
      deepStrictEqual(why(status, 'TOKEN_ERROR'), { outcome: 'refused', reason: 'invalid_token' });
    }
    deepStrictEqual(why(429, 'API_RATE_LIMIT'), { outcome: 'later', reason: 'rate_limited' });
    const asked = new StatusError(429, request, { code: 'API_RATE_LIMIT', retryAfter: 7_000 });
    deepStrictEqual(whyNotConnected(asked), { outcome: 'later', reason: 'rate_limited', retryAfter: 7_000 });
    for (const reason of ['constructor', '__proto__', 'undefined']) {
      deepStrictEqual(why(400, reason), { outcome: 'refused', reason });
    }
  });

  it('was not sent if the lobby’s own token was not available', () => {
    const request = { method: 'POST', url: 'https://matchmaker.example/' };
    const error = new TransportError('not_sent', 'nothing was sent', request);
    deepStrictEqual(whyNotConnected(error), { outcome: 'not_sent' });
  });

  it('is unknown, and sent only once, if the answer was lost or is not from the service', async () => {
    const unknown = { outcome: 'unknown' };
    deepStrictEqual(await outcomeAt('', 'end'), unknown);
    deepStrictEqual(await outcomeAt('', 'reset'), unknown);
    deepStrictEqual(await outcomeAt('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{', 'end'), unknown);
    deepStrictEqual(await outcomeAt(''), unknown);
    deepStrictEqual(await outcomeAt(reply('200 OK', '<html>')), unknown);
    deepStrictEqual(await outcomeAt(reply('302 Found')), unknown);
    deepStrictEqual(await outcomeAt(reply('502 Bad Gateway', '<html>')), unknown);
    deepStrictEqual(await outcomeAt(reply('500 Oops')), unknown);
  });

  it('was not sent if no connection was made or the input was invalid', async () => {
    const url = 'http://127.0.0.1:1';
    const client = createClient({ groupUrl: url, matchmakerUrl: url, apiUrl: url, token: 't' });
    for (const player_token of ['p', '']) {
      const outcome$ = client.matchmaker.players
        .connected({ player_token })
        .pipe(catchError((error: unknown) => of(whyNotConnected(error))));
      deepStrictEqual(await lastValueFrom(outcome$), { outcome: 'not_sent' });
    }
  });

  it('is never unknown at a server that closes every socket after its answer', async () => {
    const server = await rawServer(socket =>
      socket.write(reply('200 OK', '{}'), () => setImmediate(() => socket.end())),
    );
    const urls = { groupUrl: server.url, matchmakerUrl: server.url, apiUrl: server.url };
    const client = createClient({ ...urls, token: 't' });
    for (let i = 0; i < runs(1_000); i++) {
      await lastValueFrom(client.matchmaker.players.connected({ player_token: `p-${i}` }));
    }
    await server.close();
  });
});

describe('an error of players.connected', () => {
  it('is passed on by backoff() at once if the player may be counted, and retried if the service never saw the token', async () => {
    const answers: Readonly<Record<string, readonly [sent: number, Transport]>> = {
      lost: [1, request => throwError(() => new TransportError('lost', 'lost', request))],
      timeout: [1, request => throwError(() => new TransportError('timeout', 'late', request))],
      'a proxy’s 502': [1, () => of({ status: 502, headers: { get: () => null }, text: '<html>' })],
      unreachable: [3, request => throwError(() => new TransportError('unreachable', 'no', request))],
      'the rate limit': [
        3,
        () => of({ status: 429, headers: { get: () => null }, text: '{"code":"API_RATE_LIMIT"}' }),
      ],
    };
    for (const [what, [expected, answer]] of Object.entries(answers)) {
      let sent = 0;
      const transport: Transport = request => defer(() => (sent++, answer(request)));
      const config = { url: 'https://x', token: 'a-token', transport } as const;
      const client = createClient(config);
      const { players } = client.matchmaker;
      const input = { player_token: 'p-token' };
      const own = { ...playersConnected, path: '/of/their/own', isRepeatable: true };
      const withOwn = createClient({ ...config, endpoints: { playersConnected: own } });
      const confirmations = [
        players.connected(input),
        client.request(playersConnected, input),
        withOwn.matchmaker.players.connected(input),
      ];
      for (const confirmed$ of confirmations) {
        sent = 0;
        await lastValueFrom(confirmed$.pipe(backoff({ initial: 0, retries: 2 }))).catch(() => undefined);
        strictEqual(sent, expected, what);
      }
      const freed$ = players.disconnected({ player_token: 'p-token' });
      sent = 0;
      await lastValueFrom(freed$.pipe(backoff({ initial: 0, retries: 2 }))).catch(() => undefined);
      strictEqual(sent, 3, what);
    }
  });
});
