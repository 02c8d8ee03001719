import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { isInputError, isTransportError } from 'lobby-rx';
import { fromHttp, type HttpConfig } from 'lobby-rx/node';
import { rawServer, type RawServer } from '../../raw-server.js';
import { spawnTs } from '../../spawn-ts.js';

const OK =
  'HTTP/1.1 200 OK\r\nVia: a\r\nVia: b\r\nSet-Cookie: c=1\r\nSet-Cookie: d=1\r\nContent-Length: 2\r\n\r\n{}';

describe('fromHttp', () => {
  let server: RawServer;
  beforeEach(async () => {
    server = await rawServer(socket => socket.write(OK));
  });
  afterEach(() => server.close());

  const ask = (config?: HttpConfig, request: { url?: string; headers?: Record<string, string> } = {}) =>
    lastValueFrom(fromHttp(config)({ method: 'GET', url: server.url, headers: {}, ...request }));

  it('has headers by their names, in whatever case', async () => {
    const { headers } = await ask();
    deepStrictEqual(
      ['VIA', 'via', 'set-cookie', 'none', 'constructor'].map(name => headers.get(name)),
      ['a, b', 'a, b', 'c=1, d=1', null, null],
    );
    match(server.received(), /\r\nuser-agent: lobby-rx\r\n/);
  });

  it('shares its sockets, except with transports that have options of their own', async () => {
    await ask();
    await ask({ maxBody: 100 });
    strictEqual(server.sockets.length, 1);
    const own = fromHttp({ agentOptions: { maxSockets: 1 } });
    const request = { method: 'GET', url: server.url, headers: {} };
    for (let n = 0; n < 3; n++) await lastValueFrom(own(request));
    strictEqual(server.sockets.length, 2);
  });

  it('sends with what http.request is by then, since mocks replace it', async () => {
    // As an ES module, which mocha's are not here: names that it imports from Node would be those
    // of the start.
    const { out, err } = await spawnTs(join(import.meta.dirname, 'mocked-program.ts'), [server.url]).exited;
    deepStrictEqual([out.trim(), err], ['1', '']);
  });

  it('passes its options to the agents, for requests of every method', async () => {
    // To an address of the same family: a host may have others, too.
    const transport = fromHttp({ agentOptions: { localAddress: '127.0.0.2' } });
    const url = server.url.replace('127.0.0.1', 'localhost');
    for (const method of ['GET', 'POST'])
      strictEqual((await lastValueFrom(transport({ method, url, headers: {} }))).text, '{}');
    deepStrictEqual(
      server.sockets.map(({ remoteAddress }) => remoteAddress),
      ['127.0.0.2', '127.0.0.2'],
    );
  });

  it('sends each POST on a socket of its own, however few sockets there may be', async () => {
    const transport = fromHttp({ agentOptions: { maxSockets: 1 } });
    const request = { method: 'POST', url: server.url, headers: {}, body: '{}' };
    await Promise.all([1, 2, 3].map(() => lastValueFrom(transport(request))));
    strictEqual(server.sockets.length, 3);
  });

  it('sends all requests with an agent of the caller', async () => {
    const connected: unknown[] = [];
    class OwnAgent extends Agent {
      override createConnection(...given: Parameters<Agent['createConnection']>) {
        connected.push(given);
        return super.createConnection(...given);
      }
    }
    for (const method of ['GET', 'POST', 'GET']) {
      await lastValueFrom(fromHttp({ agent: new OwnAgent() })({ method, url: server.url, headers: {} }));
    }
    strictEqual(connected.length, 3);
    strictEqual(server.sockets.length, 3);
  });

  it('refuses options that cannot be right', () => {
    for (const [config, message] of [
      [
        { timeout: 1 },
        /^unknown option `timeout`\. Options: maxBody, bodyTimeout, bodyIdleTimeout, scheduler, agentOptions/,
      ],
      [{ agent: { addRequest: () => undefined } }, /^agent must be an http\.Agent without keepAlive/],
      [{ agent: new Agent({ keepAlive: true }) }, /^agent must be an http\.Agent without keepAlive/],
      [{ agent: new Agent(), agentOptions: {} }, /^agentOptions must be left out/],
      [{ agentOptions: [] }, /^agentOptions must be the options of an https\.Agent/],
      [{ agentOptions: { maxTotalSockets: 1 } }, /without keepAlive, maxFreeSockets, maxTotalSockets/],
      [{ agentOptions: { localAddress: 'eth0' } }, /^agentOptions\.localAddress must be an IP address/],
      [{ agentOptions: { maxSockets: 0 } }, /^agentOptions\.maxSockets must be a positive integer/],
      [{ agentOptions: { lookup: () => undefined } }, /without keepAlive, .*, lookup; got an object$/],
      [{ maxBody: 0 }, /^maxBody must be a positive integer/],
    ] as const) {
      throws(
        () => fromHttp(config as HttpConfig),
        (error: unknown) => isInputError(error) && (ok(message.test(error.message), error.message), true),
      );
    }
  });

  it('fails with a TransportError, without the secrets of the request, if Node refuses to send it', async () => {
    for (const request of [
      { headers: { authorization: 'Bearer s3cret\ntoken' } },
      { headers: { authorization: 'Bearer s3cret\u{1F600}' } },
      { url: 'ftp://127.0.0.1/' },
      { url: 'nothing' },
    ]) {
      const error = await ask({}, request).catch((e: unknown) => e);
      ok(isTransportError(error));
      ok(!`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`.includes('s3cret'));
    }
    strictEqual(server.sockets.length, 0);
  });
});
