import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { NEVER } from 'rxjs';
import type { Fault } from 'lobby-rx/emulator';
import { until } from '../until.js';
import { openGate, type OpenGate } from './gate.js';
import { enter, visit } from './visit.js';

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
    const { port } = gate.service;
    await gate.service.close();
    const visited = await visit(at(`?token=${token}`));
    ok(visited.kind === 'refused');
    deepStrictEqual([visited.status, visited.body, gate.unknown], [503, 'not_sent', []]);
    ok(port > 0);
  });

  it("says nothing about the player where the lobby's own token is refused", async () => {
    gate = await openGate({ clientConfig: { token: 'not-the-lobby' } });
    const visited = await visit(at(`?token=${gate.reserve()}`));
    ok(visited.kind === 'refused');
    deepStrictEqual([visited.status, visited.body, gate.admitted], [503, 'unauthorized', []]);
  });

  it('admits nobody to whom it answers nothing, and holds his place only as long as he may be confirmed', async () => {
    gate = await openGate({ maxChecks: 1, clientConfig: { transport: () => NEVER, deadline: 50 } });
    const first = visit(at(`?token=${gate.reserve()}`));
    await until(() => gate.server.listenerCount('upgrade') === 1);
    const visited = await first;
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
});
