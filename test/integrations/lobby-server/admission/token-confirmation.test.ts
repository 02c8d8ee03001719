import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { EMPTY, NEVER, throwError, type Observable } from 'rxjs';
import { InputError, StatusError } from 'lobby-rx';
import type { Fault } from 'lobby-rx/emulator';
import { runs } from '../../../runs.js';
import { waitUntil } from '../../../wait-until.js';
import { eachFromElsewhere, openGate, type OpenGate } from '../gate.js';
import { connectPlayer, tryConnect } from '../connect-player.js';

const statusError = (status: number, code?: string) =>
  new StatusError(status, { method: 'POST', url: '/' }, code === undefined ? {} : { code });

describe('lobbyGate, when the service fails', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  /**
   * The status and the reason with which a token is refused in its URL, or the code and the reason
   * as a first message.
   */
  const refusalOf = async (token: string) => {
    const result = await tryConnect(at(`?token=${token}`));
    if (result.kind === 'refused') return [result.status, result.body];
    ok(result.kind === 'open');
    result.ws.send(token);
    const { code, reason } = await result.closed;
    return [code, reason];
  };

  const faults: readonly (readonly [string, Fault, string])[] = [
    ['answers with an error', { kind: 'empty' }, 'outcome_unknown'],
    ['answers 200 with an HTML page', { kind: 'html', status: 200 }, 'outcome_unknown'],
    ['answers with the error page of a proxy', { kind: 'html', status: 502 }, 'outcome_unknown'],
    ['breaks the connection', { kind: 'reset_before_headers' }, 'outcome_unknown'],
    ['breaks the connection in the body', { kind: 'reset_in_body' }, 'outcome_unknown'],
    ['never answers', { kind: 'stall_before_headers' }, 'outcome_unknown'],
    ['redirects', { kind: 'redirect' }, 'outcome_unknown'],
    ['is rate-limited', { kind: 'rate_limited' }, 'rate_limited'],
  ];
  for (const [what, fault, reason] of faults) {
    for (const source of ['query', 'message'] as const) {
      it(`admits nobody if it ${what}: the token is in the ${source}`, async () => {
        gate = await openGate({ token: source });
        const stopFaults = gate.emulator.fault(fault, { times: Infinity });
        const refusal = refusalOf(gate.reserveToken());
        if (fault.kind.startsWith('stall')) {
          await waitUntil(() => gate.emulator.requests.length === 1);
          gate.pass(15_000);
        }
        deepStrictEqual(await refusal, [source === 'query' ? 503 : 4424, reason]);
        stopFaults();
        gate.pass(10_000);
        deepStrictEqual(
          [gate.admitted, gate.left, gate.unresolved.length],
          [[], [], reason === 'outcome_unknown' ? 1 : 0],
        );
        const token = gate.reserveToken();
        const { ws } = await connectPlayer(at(`?token=${token}`));
        if (source === 'message') ws.send(token);
        await waitUntil(() => gate.admitted.length === 1);
      });
    }
  }

  it('frees the slot if the answer was lost after the player was connected', async () => {
    gate = await openGate();
    gate.emulator.fault({ kind: 'stall_in_body' });
    const token = gate.reserveToken();
    const connecting = tryConnect(at(`?token=${token}`));
    await waitUntil(() => gate.emulator.playerState(token) === 'connected');
    gate.pass(15_000);
    const result = await connecting;
    ok(result.kind === 'refused' && result.status === 503);
    gate.pass(10_000);
    deepStrictEqual([gate.unresolved, gate.emulator.playerState(token)], [[token], 'connected']);
  });

  it('admits nobody while it is down or rate-limited, and accepts the same token later', async () => {
    gate = await openGate();
    const token = gate.reserveToken();
    gate.emulator.fault({ kind: 'rate_limited', wait: 90_000 });
    const busy = await tryConnect(at(`?token=${token}`));
    ok(busy.kind === 'refused');
    deepStrictEqual([busy.status, busy.headers['retry-after']], [503, '90']);
    gate.pass(90_000);
    const { ws } = await connectPlayer(at(`?token=${token}`));
    ws.terminate();
    await gate.service.close();
    const result = await tryConnect(at('?token=any'));
    ok(result.kind === 'refused');
    deepStrictEqual([result.status, result.body, gate.unresolved], [503, 'not_sent', []]);
  });

  it("does not blame the player if the lobby's own token is refused", async () => {
    gate = await openGate({ clientConfig: { token: 'not-the-lobby' } });
    const result = await tryConnect(at(`?token=${gate.reserveToken()}`));
    ok(result.kind === 'refused');
    deepStrictEqual([result.status, result.body, gate.admitted], [503, 'lobby_unauthorized', []]);
  });

  interface BadAnswer {
    readonly what: string;
    readonly connected: () => Observable<void>;
    readonly status: number;
    readonly code: number;
    readonly reason: string;
  }
  const badAnswers: readonly BadAnswer[] = [
    {
      what: 'completes without a value',
      connected: () => EMPTY,
      status: 503,
      code: 4424,
      reason: 'outcome_unknown',
    },
    {
      what: 'refuses with a very long code',
      connected: () => throwError(() => statusError(400, 'X'.repeat(200))),
      status: 403,
      code: 4403,
      reason: 'X'.repeat(123),
    },
    {
      what: 'does not know the path',
      connected: () => throwError(() => statusError(404, 'API_NOT_FOUND')),
      status: 503,
      code: 4424,
      reason: 'API_NOT_FOUND',
    },
    {
      what: 'is another server',
      connected: () => throwError(() => statusError(405)),
      status: 503,
      code: 4424,
      reason: 'outcome_unknown',
    },
    {
      what: 'cannot be sent the token',
      connected: () => throwError(() => new InputError('player_token', 'x', 'y')),
      status: 401,
      code: 4401,
      reason: 'no_token',
    },
    {
      what: 'is called through a broken client',
      connected: () => undefined as unknown as Observable<void>,
      status: 503,
      code: 4424,
      reason: 'outcome_unknown',
    },
  ];
  for (const { what, connected, status, code, reason } of badAnswers) {
    it(`answers ${status}, or ${code}, if it ${what}`, async () => {
      for (const source of ['query', 'message'] as const) {
        gate = await openGate({ token: source, client: { matchmaker: { players: { connected } } } });
        deepStrictEqual(await refusalOf('a'), [source === 'query' ? status : code, reason]);
        strictEqual(gate.admitted.length, 0);
        if (source === 'query') await gate.close();
      }
    });
  }

  it('admits nobody if it never answers, and frees the pending check at the timeout', async () => {
    let checks = 0;
    const transport = () => {
      checks++;
      return NEVER;
    };
    gate = await openGate({ maxPending: 1, clientConfig: { transport } });
    for (const nth of [1, 2]) {
      const connecting = tryConnect(at(`?token=${gate.reserveToken()}`));
      await waitUntil(() => checks === nth);
      gate.pass(15_000);
      const result = await connecting;
      ok(result.kind === 'refused');
      deepStrictEqual([result.status, result.body], [503, 'outcome_unknown']);
      gate.pass(10_000);
      strictEqual(gate.unresolved.length, nth);
    }
  });

  it('admits exactly the players with a valid token if very many connect at once', async function () {
    // Nothing here depends on time; the timeout is only for the case that the test hangs.
    this.timeout(120_000);
    const [players, maxPending] = [runs(1_000), runs(256)];
    gate = await openGate({ maxPending, holdRequests: true, addressOf: eachFromElsewhere() });
    const valid = new Set(Array.from({ length: players / 10 }, () => gate.reserveToken()));
    const all = Array.from({ length: players }, (_, i) =>
      i % 10 === 0 ? [...valid][i / 10]! : `invalid-${i}`,
    );
    const answers = new Map<string | number, number>();
    let sentAway = 0;
    let outside: readonly string[] = all;
    while (outside.length > 0) {
      // The requests are held until all other clients have been told to try again.
      const busy: string[] = [];
      const results = outside.map(async token => {
        const result = await tryConnect(at(`?token=${token}`));
        const answer = result.kind === 'refused' ? result.status : result.kind;
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
        if (answer === 503) busy.push(token);
      });
      const checks = Math.min(maxPending, outside.length);
      sentAway += outside.length - checks;
      await waitUntil(() => gate.heldRequests() === checks && busy.length === outside.length - checks);
      gate.sendHeldRequests();
      await Promise.all(results);
      outside = busy;
    }
    deepStrictEqual(Object.fromEntries(answers), {
      open: valid.size,
      401: players - valid.size,
      503: sentAway,
    });
    await waitUntil(() => gate.admitted.length === valid.size);
    deepStrictEqual(new Set(gate.admitted.map(({ token }) => token)), valid);
    strictEqual(gate.unresolved.length, 0);
  });

  it('admits exactly the players who send a valid token, even if it is slow', async () => {
    gate = await openGate({ token: 'message', holdRequests: true, addressOf: eachFromElsewhere() });
    const all = Array.from({ length: 200 }, (_, i) => (i % 10 === 0 ? gate.reserveToken() : `invalid-${i}`));
    const results = await Promise.all(all.map(() => connectPlayer(at())));
    for (const [i, { ws }] of results.entries()) ws.send(all[i]!);
    await waitUntil(() => gate.heldRequests() === 200);
    strictEqual(gate.admitted.length, 0);
    gate.sendHeldRequests();
    const ends = await Promise.all(results.filter((_, i) => i % 10 !== 0).map(({ closed }) => closed));
    ok(ends.every(({ code }) => code === 4401));
    await waitUntil(() => gate.admitted.length === 20);
    deepStrictEqual(
      new Set(gate.admitted.map(({ token }) => token)),
      new Set(all.filter((_, i) => i % 10 === 0)),
    );
  });
});
