import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EMPTY, lastValueFrom, of, toArray, type Observable } from 'rxjs';
import { createClient } from 'lobby-rx';
import {
  corsFindings,
  proxyFindings,
  serviceFindings,
  watchFindings,
  type Finding,
} from '../../../../src/tools/cli/diagnosis/index.js';
import { virtualTime } from '../../../virtual-time.js';

const PATH = '/identity/events/live';
const OWN = { 'rvt-ray-id': 'ray' };
const REFUSED = JSON.stringify({ code: 'CLAIMS_MISSING_ENTITLEMENT', message: 'No token.' });

const all = (findings$: Observable<Finding>) => lastValueFrom(findings$.pipe(toArray()));
const texts = (findings: readonly Finding[]) =>
  findings.map(
    ({ check, level, text, advice }) => `${level} ${check}: ${text}${advice ? ` → ${advice}` : ''}`,
  );

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

describe('doctor, of a service', () => {
  let server: Server;
  const asked: string[] = [];
  const serve = async (answer: Answer) => {
    asked.length = 0;
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      strictEqual(request.headers.authorization, undefined);
      answer(request, response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });
  const refuse: Answer = (_, response) => response.writeHead(401, OWN).end(REFUSED);

  it('does not take for proved what has no ray id, and says what follows', async () => {
    const url = await serve((_, response) => response.writeHead(401).end(REFUSED));
    const [finding, ...more] = texts(await all(serviceFindings(url)));
    match(
      finding!,
      /^warning service: seems to answer \(401 CLAIMS\w+\), without the rvt-ray-id.*→ .*a gate asks about a token/,
    );
    deepStrictEqual(more, []);
  });

  it('is content with one that refuses a request without a token itself', async () => {
    const url = await serve(refuse);
    deepStrictEqual(texts(await all(serviceFindings(url))), ['ok service: answers at this URL']);
    deepStrictEqual(asked, [`GET ${PATH}`]);
  });

  it('says what a base URL is if there is no service, and does not look for it elsewhere', async () => {
    const url = await serve((_, response) => response.end('<h1>Welcome</h1>'));
    match(
      texts(await all(serviceFindings(`${url}/x`)))[0]!,
      /is not at this URL \(200\) → the URL is what comes before/,
    );
    strictEqual(asked.length, 1);
  });

  it('says which URL to use if a redirect leads to the service itself', async () => {
    const url = await serve((request, response) => {
      if (request.url!.startsWith('/moved')) return refuse(request, response);
      return response.writeHead(301, { location: `/moved${PATH}` }).end();
    });
    deepStrictEqual(texts(await all(serviceFindings(url))), [
      `problem service: is a redirect (301), which is not followed → use ${url}/moved as the URL`,
    ]);
  });

  for (const [title, answer, expected] of [
    [
      'a redirect to a login',
      (_, response) => response.writeHead(302, { location: '/login?next=/identity' }).end(),
      /is a redirect \(302\) to http:\S+\/login, where the service does not answer → is that a login\?/,
    ],
    [
      'a redirect to another server, at the same path',
      (_, response) => response.writeHead(301, { location: `http://127.0.0.1:9/x${PATH}` }).end(),
      /is a redirect \(301\) to http:\/\/127\.0\.0\.1:9\/x\/\S+, where the service does not answer/,
    ],
    [
      'plain HTTP at a port for TLS',
      (_, response) => response.writeHead(400, { server: 'nginx' }).end('<h1>400'),
      /rejects plain HTTP, or the request \(400\) → does this port speak TLS\?/,
    ],
    [
      'a firewall',
      (_, response) => response.writeHead(403).end('<h1>Blocked</h1>'),
      /a proxy refuses the request \(403\), and not the service → let firewalls pass GET/,
    ],
    [
      'a rejection from a cache',
      (_, response) => response.writeHead(404, { age: '7' }).end('<h1>404</h1>'),
      /a cache answers \(404\), and not the service → turn it off/,
    ],
    [
      'a redirect to nowhere',
      (_, response) => response.writeHead(302, { location: 'http://' }).end(),
      /redirect \(302\).* → correct its Location/,
    ],
    [
      'an answer without an end',
      (_, response) => {
        const more = () => {
          while (response.write('x'.repeat(16_384)));
        };
        response.writeHead(404).on('drain', more);
        more();
      },
      /is not at this URL \(404\)/,
    ],
    [
      'a proxy that wants a password',
      (_, response) => response.writeHead(401, { 'www-authenticate': 'Basic' }).end('401'),
      /wants a login \(401\)/,
    ],
    [
      'a gateway whose codes are digits',
      (_, response) => response.writeHead(401).end('{"code":"900901","message":"Invalid Credentials"}'),
      /something else than the service answers here \(401\)/,
    ],
    [
      'a bad gateway',
      (_, response) => response.writeHead(502).end('<h1>Bad gateway</h1>'),
      /a proxy answers, and not the service \(502\)/,
    ],
    [
      'a bad gateway of nginx',
      (_, response) => response.writeHead(502, { server: 'nginx/1.22.1' }).end('<h1>502'),
      /nginx answers, and not the service \(502\)/,
    ],
    [
      'a service that fails',
      (_, response) => response.writeHead(500, OWN).end(),
      /the service fails \(500\)/,
    ],
    [
      'a proxy that limits the rate',
      (_, response) => response.writeHead(429).end(),
      /something limits the rate/,
    ],
    ['a server that closes', (_, response) => response.destroy(), /ends the connection \(\w+\)/],
  ] satisfies readonly (readonly [string, Answer, RegExp])[])
    it(`finds ${title}`, async () => {
      const findings = await all(serviceFindings(await serve(answer)));
      strictEqual(findings.length, 1);
      match(texts(findings)[0]!, expected);
      strictEqual(findings[0]!.isFinal, true);
    });

  for (const [title, headers, expected] of [
    [
      'a clock that is off',
      { ...OWN, date: new Date(Date.now() - 600_000).toUTCString() },
      /^warning clock: this machine's is \d+ s ahead/,
    ],
    ['a cache', { ...OWN, 'x-cache': 'HIT from here' }, /a cache answers/],
    // One that no version of Node decodes.
    ['an unknown encoding', { ...OWN, 'content-encoding': 'compress' }, /encoded as compress/],
  ] satisfies readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[])
    it(`warns of ${title}`, async () => {
      const url = await serve((_, response) => response.writeHead(401, headers).end(REFUSED));
      const findings = await all(serviceFindings(url));
      strictEqual(findings.length, 2, texts(findings).join('\n'));
      match(texts(findings)[1]!, expected);
    });

  const allowed = {
    'access-control-allow-origin': 'https://game.example',
    'access-control-expose-headers': 'rvt-ray-id',
    'access-control-allow-headers': 'Authorization, Content-Type',
  };
  for (const [title, preflight, headers, expected] of [
    ['allowed', allowed, allowed, /^ok cors/],
    ['not allowed', {}, {}, /are not allowed/],
    [
      'allowed for another origin',
      { ...allowed, 'access-control-allow-origin': 'https://x.example' },
      allowed,
      /are not allowed/,
    ],
    [
      'allowed without tokens',
      { ...allowed, 'access-control-allow-headers': '*' },
      allowed,
      /may not send a token/,
    ],
    ['allowed, and cannot read errors', allowed, {}, /and not read the answers/],
  ] satisfies readonly (readonly [
    string,
    Readonly<Record<string, string>>,
    Readonly<Record<string, string>>,
    RegExp,
  ])[])
    it(`says that pages are ${title}`, async () => {
      const url = await serve(({ method }, response) => {
        if (method === 'OPTIONS') response.writeHead(204, preflight).end();
        else response.writeHead(401, { ...OWN, ...headers }).end(REFUSED);
      });
      match(texts(await all(corsFindings(url, 'https://game.example')))[0]!, expected);
    });

  it('says that pages cannot read ray ids, and that a preflight fails', async () => {
    const url = await serve(({ method }, response) =>
      response
        .writeHead(method === 'OPTIONS' ? 204 : 401, { ...allowed, 'access-control-expose-headers': '' })
        .end(),
    );
    match(
      texts(await all(corsFindings(url, 'https://game.example')))[2]!,
      /^warning cors: pages cannot read rvt-ray-id/,
    );
    server.close();
    const refusing = await serve((_, response) => response.writeHead(405).end());
    match(
      texts(await all(corsFindings(refusing, 'https://game.example')))[0]!,
      /preflight is answered with 405/,
    );
    server.close();
    const closing = await serve((_, response) => response.destroy());
    match(
      texts(await all(corsFindings(closing, 'https://game.example')))[0]!,
      /request of a page is not answered/,
    );
  });

  it('says that a page sends a preflight before each poll, unless its origin is that of the service', async () => {
    const answers = { ...allowed, 'access-control-max-age': '3600' };
    const url = await serve(({ method }, response) =>
      response.writeHead(method === 'OPTIONS' ? 204 : 401, { ...OWN, ...answers }).end(),
    );
    const found = async (origin: string) => texts(await all(corsFindings(url, origin)));
    match((await found('https://game.example'))[1]!, /^ok cors: a page sends a preflight before each poll/);
    delete (answers as Partial<typeof answers>)['access-control-max-age'];
    match(
      (await found('https://game.example'))[1]!,
      /^warning cors: .*before all others → add Access-Control-Max-Age: 3600/,
    );
    deepStrictEqual(await found(url), [
      'ok cors: pages of this origin need no preflight: it is that of the service',
    ]);
  });

  it('prints what a server says in one line, without what a terminal would carry out', async () => {
    const code = `A\u001b[31m\u001b]0;title\u0007\u009b\u202e\n${'x'.repeat(50_000)}`;
    const text = JSON.stringify({ code, message: 'x' });
    const transport = () => of({ status: 503, headers: new Headers(OWN), text });
    const client = createClient({ url: 'https://a.example', token: 'the-token', transport });
    const [finding] = texts(
      await all(
        watchFindings(client, {
          now: () => performance.now(),
          lastAnswer: () => undefined,
          withoutToken$: EMPTY,
        }),
      ),
    );
    ok(!/[\u0000-\u001f\u007f-\u009f\u202e]/.test(finding!) && finding!.length < 700, finding);
    const away = await serve((_, response) =>
      response.writeHead(302, { location: 'javascript:alert(1)' }).end(),
    );
    match(
      texts(await all(serviceFindings(away)))[0]!,
      /correct its Location: that is no http: or https: URL/,
    );
  });

  it('says that a body cannot be decompressed, and that a page answers', async () => {
    const url = await serve((_, response) =>
      response.writeHead(401, { ...OWN, 'content-encoding': 'gzip' }).end(REFUSED),
    );
    match(
      texts(await all(serviceFindings(url)))[0]!,
      /cannot be decompressed \(Z_\w+\) → let a proxy leave bodies/,
    );
    server.close();
    const page = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<p>Hi'),
    );
    match(
      texts(await all(serviceFindings(page)))[0]!,
      /^problem service: is not at this URL, but a page \(200\) → the URL is what/,
    );
  });

  it('says why no connection can be made', async () => {
    const url = await serve(refuse);
    const [tls] = await all(serviceFindings(url.replace('http:', 'https:')));
    match(tls!.text, /does not speak TLS/);
    server.close();
    await once(server, 'close');
    const [refused] = await all(serviceFindings(url));
    match(refused!.text, /nothing listens on this port \(ECONNREFUSED\)/);
    const [unknown] = await all(serviceFindings('http://name.invalid'));
    match(unknown!.text, /no address is known for this name \(ENOTFOUND\)|does not answer \(EAI_AGAIN\)/);
    for (const { check, isFinal } of [tls!, refused!, unknown!])
      deepStrictEqual([check, isFinal], ['connection', true]);
  });

  it('gives up on what does not answer', async () => {
    const url = await serve(() => undefined);
    const { scheduler, pass } = virtualTime();
    const after = async (findings$: Observable<Finding>, ms: number) => {
      const found = all(findings$);
      pass(ms);
      return texts(await found)[0]!;
    };
    match(
      await after(serviceFindings(url, undefined, scheduler), 15_000),
      /accepts connections, and does not answer/,
    );
  });

  it('warns of the variables of a proxy', async () => {
    await serve(refuse);
    const url = new URL('https://lobby.example');
    deepStrictEqual(proxyFindings(url, { HTTP_PROXY: 'http://proxy' }), []);
    match(
      texts(proxyFindings(url, { https_proxy: 'http://proxy' }))[0]!,
      /^warning proxy: HTTPS_PROXY is set/,
    );
  });
});
