import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { EMPTY, NEVER, throwError, type Observable } from 'rxjs';
import { InputError, StatusError } from 'lobby-rx';
import type { Fault } from 'lobby-rx/emulator';
import { until } from '../until.js';
import { openGate, type OpenGate } from './gate.js';
import { enter, visit } from './visit.js';

const said = (status: number, code?: string) =>
  new StatusError(status, { method: 'POST', url: '/' }, code === undefined ? {} : { code });

describe('a lobby gate, and a service in trouble', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  const troubles: readonly (readonly [string, Fault, string])[] = [
    ['answers with an error', { kind: 'empty' }, 'unknown'],
    ['answers with a page, and a 200', { kind: 'html', status: 200 }, 'unknown'],
    ['answers with a page of a proxy', { kind: 'html', status: 502 }, 'unknown'],
    ['breaks the connection', { kind: 'reset_before_headers' }, 'unknown'],
    ['breaks off its answer', { kind: 'reset_in_body' }, 'unknown'],
    ['says nothing', { kind: 'stall_before_headers' }, 'unknown'],
    ['sends it elsewhere', { kind: 'redirect' }, 'unknown'],
    ['has had too many requests', { kind: 'rate_limited' }, 'API_RATE_LIMIT'],
  ];
  for (const [what, fault, reason] of troubles) {
    it(`admits nobody where it ${what}`, async () => {
      gate = await openGate({ firstMessage: true, clientConfig: { deadline: 50 } });
      const always = gate.emulator.fault(fault, { times: Infinity });
      const visited = await visit(at(`?token=${gate.reserve()}`));
      ok(visited.kind === 'refused');
      deepStrictEqual([visited.status, visited.body], [503, reason]);
      const { ws, ending } = await enter(at());
      ws.send(gate.reserve());
      deepStrictEqual(await ending, { code: 4424, reason });
      deepStrictEqual(
        [gate.admitted, gate.gone, gate.unknown.length],
        [[], [], reason === 'unknown' ? 2 : 0],
      );

      always();
      await enter(at(`?token=${gate.reserve()}`));
      await until(() => gate.admitted.length === 1);
    });
  }

  it('tells the token whose answer was lost after it was carried out', async () => {
    gate = await openGate({ clientConfig: { deadline: 50 } });
    gate.emulator.fault({ kind: 'stall_in_body' });
    const token = gate.reserve();
    const visited = await visit(at(`?token=${token}`));
    ok(visited.kind === 'refused' && visited.status === 503);
    deepStrictEqual([gate.unknown, gate.emulator.playerState(token)], [[token], 'connected']);
  });

  it('admits nobody where it is down, and his token can be shown again', async () => {
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

  it("says nothing about the player where the lobby's own token is refused", async () => {
    gate = await openGate({ clientConfig: { token: 'not-the-lobby' } });
    const visited = await visit(at(`?token=${gate.reserve()}`));
    ok(visited.kind === 'refused');
    deepStrictEqual([visited.status, visited.body, gate.admitted], [503, 'unauthorized', []]);
  });

  const lies: readonly (readonly [string, () => Observable<void>, number, string])[] = [
    ['completes without a word', () => EMPTY, 503, 'unknown'],
    [
      'refuses for a reason of many words',
      () => throwError(() => said(400, 'X'.repeat(200))),
      403,
      'X'.repeat(200),
    ],
    ['knows no such path', () => throwError(() => said(404, 'API_NOT_FOUND')), 503, 'API_NOT_FOUND'],
    ['is no service at all', () => throwError(() => said(405)), 503, '405'],
    [
      'finds the token no token',
      () => throwError(() => new InputError('player_token', 'x', 'y')),
      401,
      'no_token',
    ],
    ['is not even a client', () => undefined as unknown as Observable<void>, 503, 'unknown'],
  ];
  for (const [what, connected, status, reason] of lies) {
    it(`says ${status} where it ${what}`, async () => {
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

  it('admits nobody to whom it answers nothing, and holds his place only as long as he may be confirmed', async () => {
    gate = await openGate({ maxChecks: 1, clientConfig: { transport: () => NEVER, deadline: 50 } });
    const visited = await visit(at(`?token=${gate.reserve()}`));
    ok(visited.kind === 'refused' && visited.status === 503);
    const next = await visit(at(`?token=${gate.reserve()}`));
    ok(next.kind === 'refused' && next.body === 'unknown');
    strictEqual(gate.unknown.length, 2);
  });

  it('admits exactly those with a valid token out of a crowd that comes at once', async () => {
    gate = await openGate();
    const valid = new Set(Array.from({ length: 100 }, () => gate.reserve()));
    const all = Array.from({ length: 1_000 }, (_, i) =>
      i % 10 === 0 ? [...valid][i / 10]! : `invalid-${i}`,
    );
    const answers = new Map<string | number, number>();
    await Promise.all(
      all.map(async token => {
        for (;;) {
          const visited = await visit(at(`?token=${token}`));
          const answer = visited.kind === 'refused' ? visited.status : visited.kind;
          answers.set(answer, (answers.get(answer) ?? 0) + 1);
          if (answer !== 503) break;
        }
      }),
    );
    deepStrictEqual([answers.get('open'), answers.get(401)], [100, 900]);
    await until(() => gate.admitted.length === 100);
    deepStrictEqual(new Set(gate.admitted.map(({ token }) => token)), valid);
    strictEqual(gate.unknown.length, 0);
  });

  it('admits exactly those of a crowd who say a valid token, while it is slow', async () => {
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
