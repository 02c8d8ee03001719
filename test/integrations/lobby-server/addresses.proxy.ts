import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LobbyGateConfig } from 'lobby-rx/lobby-server';
import { transformSync } from 'esbuild';
import { openHaproxy, openNginx, type RealProxy } from '../../real-proxy.js';
import { tryConnect } from './connect-player.js';
import { openGate, type OpenGate } from './gate.js';

const pageOf = (name: string) => readFileSync(join(import.meta.dirname, '../../../docs', name), 'utf8');
const fence = (title: string) =>
  new RegExp(`\\[${title}\\]\n([^]*?)\`\`\``).exec(pageOf('lobby-server.md'))![1]!;

/** The hooks of the reference. */
function hooks(): Pick<LobbyGateConfig, 'allowAddress' | 'addressOf'> {
  const [text] = /^ {2}allowAddress: [^]*?^ {2}\},$/m.exec(pageOf('gate.md'))!;
  const { code } = transformSync(`({${text}})`, { loader: 'ts' });
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const load = new Function(`return ${code}`) as () => ReturnType<typeof hooks>;
  return load();
}

describe('The gate behind a proxy that is set up as the pages say', () => {
  let gate: OpenGate;
  let proxy: RealProxy;
  beforeEach(async () => (gate = await openGate({ token: 'message', path: '/play', ...hooks() })));
  afterEach(async () => {
    await proxy.close();
    await gate.close();
  });

  const proxies: readonly (readonly [string, () => Promise<RealProxy>])[] = [
    [
      'nginx',
      () =>
        openNginx(`127.0.0.1:${gate.port}`, fence('nginx').replace('http://127.0.0.1:8080', 'http://lobby')),
    ],
    [
      'HAProxy',
      () => {
        const lines = fence('HAProxy').split('\n').slice(1, -1);
        const own = lines.filter(line => !/^\s*server /.test(line));
        strictEqual(own.length, lines.length - 1);
        return openHaproxy(`127.0.0.1:${gate.port}`, own.join('\n'));
      },
    ],
  ];
  for (const [name, open] of proxies) {
    it(`knows the address of each client behind ${name}, whatever that says of itself`, async () => {
      proxy = await open();
      const kinds: string[] = [];
      for (let i = 0; i < 20; i++) {
        const headers = { 'x-forwarded-for': `198.51.100.${i}` };
        const result = await tryConnect(`ws://127.0.0.1:${proxy.port}/play`, { headers });
        kinds.push(result.kind === 'refused' ? result.body : result.kind);
      }
      deepStrictEqual(
        [kinds.slice(0, 8), kinds.slice(8)],
        [Array(8).fill('open'), Array(12).fill('address')],
      );
      ok(gate.log.every(entry => entry.kind === 'refused' && entry.address === '127.0.0.1'));
    }).timeout(30_000);
  }
});
