import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { knownProxy, letItPassTokens, letItWait } from '../../../../src/tools/cli/diagnosis/known-proxy.js';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/proxies.md'), 'utf8');
const rowOf = (name: string) => PAGE.split('\n').find(line => line.startsWith(`| ${name} `));

/** What each proxy of the page sends with an answer of its own, as it was seen. */
const SEEN: readonly (readonly [name: string, headers: Record<string, string>, text?: string])[] = [
  ['nginx', { server: 'nginx/1.22.1' }],
  [
    'HAProxy',
    {},
    '<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n',
  ],
  ['Apache', { server: 'Apache/2.4.71 (Debian)' }],
  ['Caddy', { server: 'Caddy' }],
  ['Varnish', { server: 'Varnish', via: '1.1 varnish (Varnish/7.1)' }],
  ['Traffic Server', { server: 'ATS/9.2.9' }],
  ['h2o', { server: 'h2o/2.2.5' }],
  ['lighttpd', { server: 'lighttpd/1.4.69' }],
  ['nghttpx', { server: 'nghttpx', via: '1.1 nghttpx' }],
  ['squid', { server: 'squid/5.7', via: '1.1 squid.test (squid/5.7)' }],
];

describe('A known proxy', () => {
  for (const [name, headers, text = ''] of SEEN)
    it(`is ${name}, with the settings of the page`, () => {
      const proxy = knownProxy(new Headers(headers), text)!;
      strictEqual(proxy.name, name);
      const row = rowOf(name)!;
      for (const setting of [proxy.waits, proxy.passesTokens])
        ok(setting === undefined || row.includes(setting), `${setting} is not in ${row}`);
      strictEqual(proxy.waits === undefined, row.includes('not seen'));
    });

  it('is none if nothing says so', () => {
    deepStrictEqual(knownProxy(new Headers({ server: 'gunicorn', via: '1.1 google' }), '<h1>502'), undefined);
    ok(letItWait(undefined).includes('docs/proxies.md'));
    ok(letItPassTokens(undefined).includes('docs/proxies.md'));
  });
});
