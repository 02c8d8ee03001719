import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { EMPTY, NEVER, throwError, type Observable } from 'rxjs';
import { InputError, StatusError } from 'lobby-rx';
import type { Fault } from 'lobby-rx/emulator';
import { until } from '../../until.js';
import { openGate, type OpenGate } from '../gate.js';
import { enter, visit } from '../visit.js';

const said = (status: number, code?: string) =>
  new StatusError(status, { method: 'POST', url: '/' }, code === undefined ? {} : { code });

describe('lobbyGate, if the service fails', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  const troubles: readonly (readonly [string, Fault, string])[] = [
    ['answers with an error', { kind: 'empty' }, 'unknown'],
    ['answers with a page and a 200', { kind: 'html', status: 200 }, 'unknown'],
    ['answers with a page of a proxy', { kind: 'html', status: 502 }, 'unknown'],
    ['breaks the connection', { kind: 'reset_before_headers' }, 'unknown'],
    ['breaks off its answer', { kind: 'reset_in_body' }, 'unknown'],
    ['never answers', { kind: 'stall_before_headers' }, 'unknown'],
    ['redirects', { kind: 'redirect' }, 'unknown'],
    ['is rate-limited', { kind: 'rate_limited' }, 'API_RATE_LIMIT'],
  ];
  for (const [what, fault, reason] of troubles) {
    it(`admits nobody if it ${what}`, async () => {
      gate = await openGate({ firstMessage: true });
      const stopFaults = gate.emulator.fault(fault, { times: Infinity });
      const answered = async (requests: number) => {
        if (!fault.kind.startsWith('stall')) return;
        await until(() => gate.emulator.requests.length === requests);
        gate.pass(15_000);
      };
      const visiting = visit(at(`?token=${gate.reserve()}`));
      await answered(1);
      const visited = await visiting;
      ok(visited.kind === 'refused');
      deepStrictEqual([visited.status, visited.body], [503, reason]);
      const { ws, ending } = await enter(at());
      ws.send(gate.reserve());
      await answered(2);
      deepStrictEqual(await ending, { code: 4424, reason });
      deepStrictEqual(
        [gate.admitted, gate.gone, gate.unknown.length],
        [[], [], reason === 'unknown' ? 2 : 0],
      );

      stopFaults();
      await enter(at(`?token=${gate.reserve()}`));
      await until(() => gate.admitted.length === 1);
    });
  }

  it('calls onUnknown if the answer was lost after the player was connected', async () => {
    gate = await openGate();
    gate.emulator.fault({ kind: 'stall_in_body' });
    const token = gate.reserve();
    const visiting = visit(at(`?token=${token}`));
    await until(() => gate.emulator.playerState(token) === 'connected');
    gate.pass(15_000);
    const visited = await visiting;
    ok(visited.kind === 'refused' && visited.status === 503);
    deepStrictEqual([gate.unknown, gate.emulator.playerState(token)], [[token], 'connected']);
  });

  it('admits nobody while it is down or rate-limited, and takes the same token later', async () => {
    gate = await openGate();
    const token = gate.reserve();
    gate.emulator.fault({ kind: 'rate_limited', wait: 90_000 });
    const busy = await visit(at(`?token=${token}`));
    ok(busy.kind === 'refused');
    deepStrictEqual([busy.status, busy.headers['retry-after']], [503, '90']);
    const { ws } = await enter(at(`?token=${token}`));
    ws.terminate();
    await gate.service.close();
    const visited = await visit(at('?token=any'));
    ok(visited.kind === 'refused');
    deepStrictEqual([visited.status, visited.body, gate.unknown], [503, 'not_sent', []]);
  });

  it("does not blame the player if the lobby's own token is refused", async () => {
    gate = await openGate({ clientConfig: { token: 'not-the-lobby' } });
    const visited = await visit(at(`?token=${gate.reserve()}`));
    ok(visited.kind === 'refused');
    deepStrictEqual([visited.status, visited.body, gate.admitted], [503, 'unauthorized', []]);
  });

  const lies: readonly (readonly [string, () => Observable<void>, number, string])[] = [
    ['completes without a value', () => EMPTY, 503, 'unknown'],
    [
      'refuses for a very long reason',
      () => throwError(() => said(400, 'X'.repeat(200))),
      403,
      'X'.repeat(200),
    ],
    ['knows no such path', () => throwError(() => said(404, 'API_NOT_FOUND')), 503, 'API_NOT_FOUND'],
    ['is no service at all', () => throwError(() => said(405)), 503, '405'],
    [
      'does not take the token for one',
      () => throwError(() => new InputError('player_token', 'x', 'y')),
      401,
      'no_token',
    ],
    ['is not even a client', () => undefined as unknown as Observable<void>, 503, 'unknown'],
  ];
  for (const [what, connected, status, reason] of lies) {
    it(`answers ${status} if it ${what}`, async () => {
      gate = await openGate({ firstMessage: true, client: { matchmaker: { players: { connected } } } });
      const visited = await visit(at('?token=a'));
      ok(visited.kind === 'refused');
      deepStrictEqual([visited.status, visited.body], [status, reason]);
      const { ws, ending } = await enter(at());
      ws.send('a');
      strictEqual((await ending).reason, reason.length > 123 ? 'refused' : reason);
      strictEqual(gate.admitted.length, 0);
    });
  }

  it('admits nobody if it never answers, and frees the check at the deadline', async () => {
    let checks = 0;
    const transport = () => {
      checks++;
      return NEVER;
    };
    gate = await openGate({ maxChecks: 1, clientConfig: { transport } });
    for (const nth of [1, 2]) {
      const visiting = visit(at(`?token=${gate.reserve()}`));
      await until(() => checks === nth);
      gate.pass(15_000);
      const visited = await visiting;
      ok(visited.kind === 'refused');
      deepStrictEqual([visited.status, visited.body, gate.unknown.length], [503, 'unknown', nth]);
    }
  });

  it('admits exactly the players with a valid token out of a thousand that come at once', async function () {
    // Nothing here waits for time to pass; this only ends the test if it hangs.
    this.timeout(120_000);
    gate = await openGate({ isHeld: true });
    const valid = new Set(Array.from({ length: 100 }, () => gate.reserve()));
    const all = Array.from({ length: 1_000 }, (_, i) =>
      i % 10 === 0 ? [...valid][i / 10]! : `invalid-${i}`,
    );
    const answers = new Map<string | number, number>();
    let outside: readonly string[] = all;
    while (outside.length > 0) {
      // The service keeps everyone waiting until all the others have been told to try again.
      const busy: string[] = [];
      const visits = outside.map(async token => {
        const visited = await visit(at(`?token=${token}`));
        const answer = visited.kind === 'refused' ? visited.status : visited.kind;
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
        if (answer === 503) busy.push(token);
      });
      const checks = Math.min(256, outside.length);
      await until(() => gate.waiting() === checks && busy.length === outside.length - checks);
      gate.goOn();
      await Promise.all(visits);
      outside = busy;
    }
    deepStrictEqual(Object.fromEntries(answers), { open: 100, 401: 900, 503: 744 + 488 + 232 });
    await until(() => gate.admitted.length === 100);
    deepStrictEqual(new Set(gate.admitted.map(({ token }) => token)), valid);
    strictEqual(gate.unknown.length, 0);
  });

  it('admits exactly those of a crowd who send a valid token, however slow it is', async () => {
    gate = await openGate({ firstMessage: true, isHeld: true });
    const all = Array.from({ length: 200 }, (_, i) => (i % 10 === 0 ? gate.reserve() : `invalid-${i}`));
    const visits = await Promise.all(all.map(() => enter(at())));
    for (const [i, { ws }] of visits.entries()) ws.send(all[i]!);
    await until(() => gate.waiting() === 200);
    strictEqual(gate.admitted.length, 0);
    gate.goOn();
    const ends = await Promise.all(visits.filter((_, i) => i % 10 !== 0).map(({ ending }) => ending));
    ok(ends.every(({ code }) => code === 4401));
    await until(() => gate.admitted.length === 20);
    deepStrictEqual(
      new Set(gate.admitted.map(({ token }) => token)),
      new Set(all.filter((_, i) => i % 10 === 0)),
    );
  });
});
