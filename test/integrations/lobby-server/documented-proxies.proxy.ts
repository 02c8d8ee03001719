import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LobbyGateConfig } from 'lobby-rx/lobby-server';
import { transformSync } from 'esbuild';
import { Subject } from 'rxjs';
import { DOCUMENTED_PROXIES, openDocumentedProxy } from '../../documented-proxies.js';
import type { RealProxy } from '../../real-proxy.js';
import { waitUntil } from '../../wait-until.js';
import { tryConnect } from './connect-player.js';
import { openGate, type OpenGate } from './gate.js';

const GATE_PAGE = readFileSync(join(import.meta.dirname, '../../../docs/gate.md'), 'utf8');

/** The hooks of the reference. */
function documentedHooks(): Pick<LobbyGateConfig, 'allowAddress' | 'addressOf'> {
  const [text] = /^ {2}allowAddress: [^]*?^ {2}\},$/m.exec(GATE_PAGE)!;
  const { code } = transformSync(`({${text}})`, { loader: 'ts' });
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const load = new Function(`return ${code}`) as () => ReturnType<typeof documentedHooks>;
  return load();
}

/** As the page says, this one passes no WebSockets. */
const WITHOUT_GATE = ['squid'];

/** More than a frame's first byte, and more than one read of a socket. */
const LARGE = 'x'.repeat(60_000);

for (const name of DOCUMENTED_PROXIES.filter(proxy => !WITHOUT_GATE.includes(proxy))) {
  describe(`The gate behind ${name}, which is set up as the page says`, () => {
    let gate: OpenGate;
    let proxy: RealProxy | undefined;
    const drain$ = new Subject<void>();
    const open = async (token: 'message' | 'query', hooks = {}) => {
      gate = await openGate({ token, path: '/play', drain$, ...hooks });
      proxy = await openDocumentedProxy(name, {
        service: Number(new URL(gate.service.url).port),
        gate: gate.port,
      });
    };
    const url = (query = '') => `ws://127.0.0.1:${proxy!.port}/play${query}`;
    afterEach(async () => {
      await gate.close();
      await proxy?.close();
    });

    it('admits, passes messages on, refuses, and drains', async () => {
      await open('message');
      const player = await tryConnect(url());
      ok(player.kind === 'open', JSON.stringify(player));
      player.ws.send(gate.reserveToken());
      await waitUntil(() => gate.admitted.length === 1);
      const received: string[] = [];
      gate.admitted[0]!.message$.subscribe(message => {
        received.push(message as string);
        gate.admitted[0]!.send(LARGE);
      });
      const sent: string[] = [];
      player.ws.on('message', data => sent.push((data as Buffer).toString()));
      player.ws.send(LARGE);
      await waitUntil(() => sent.length === 1);
      deepStrictEqual([received, sent], [[LARGE], [LARGE]]);

      const stranger = await tryConnect(url());
      ok(stranger.kind === 'open', JSON.stringify(stranger));
      stranger.ws.send('no-such-token');
      const refusal = await stranger.closed;
      strictEqual(refusal.code, 4401);

      drain$.next();
      deepStrictEqual(await player.closed, { code: 1001, reason: 'gate_closed' });
    });

    it('refuses before the upgrade with its own status and body', async () => {
      await open('query');
      const refused = await tryConnect(url('?token=no-such-token'));
      ok(refused.kind === 'refused', JSON.stringify(refused));
      strictEqual(refused.status, 401);
      const admitted = await tryConnect(url(`?token=${gate.reserveToken()}`));
      strictEqual(admitted.kind, 'open', JSON.stringify(admitted));
    });

    it('sees that a player is gone', async () => {
      await open('query');
      const player = await tryConnect(url(`?token=${gate.reserveToken()}`));
      ok(player.kind === 'open', JSON.stringify(player));
      const codes: number[] = [];
      gate.admitted[0]!.closed$.subscribe(({ code }) => codes.push(code));
      player.ws.terminate();
      await waitUntil(() => codes.length > 0);
      deepStrictEqual(codes, [1006]);
    });

    it('knows the address of each client, whatever that says of itself', async () => {
      await open('message', documentedHooks());
      const kinds: string[] = [];
      for (let i = 0; i < 20; i++) {
        const headers = { 'x-forwarded-for': `198.51.100.${i}` };
        const result = await tryConnect(url(), { headers });
        kinds.push(result.kind === 'refused' ? result.body : result.kind);
      }
      deepStrictEqual(
        [kinds.slice(0, 8), kinds.slice(8)],
        [Array(8).fill('open'), Array(12).fill('address')],
      );
      ok(gate.log.every(entry => entry.kind === 'refused' && entry.address === '127.0.0.1'));
    });
  });
}
