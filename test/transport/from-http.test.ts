import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert';
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { lastValueFrom } from 'rxjs';
import { isInputError, isTransportError } from 'lobby-rx';
import { fromHttp, type HttpConfig } from 'lobby-rx/node';
import { rawServer, type RawServer } from '../raw-server.js';

const OK = 'HTTP/1.1 200 OK\r\nVia: a\r\nVia: b\r\nContent-Length: 2\r\n\r\n{}';

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
    deepStrictEqual([headers.get('VIA'), headers.get('via'), headers.get('none')], ['a, b', 'a, b', null]);
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

  it('passes its options to the agents, for requests of every method', async () => {
    const hosts: string[] = [];
    const recorded: LookupFunction = (host, options, callback) => {
      hosts.push(host);
      lookup('127.0.0.1', options, callback);
    };
    const transport = fromHttp({ agentOptions: { lookup: recorded } });
    const url = server.url.replace('127.0.0.1', 'group.example');
    for (const method of ['GET', 'POST']) {
      strictEqual((await lastValueFrom(transport({ method, url, headers: {} }))).text, '{}');
    }
    deepStrictEqual(hosts, ['group.example', 'group.example']);
    const local = await ask({ agentOptions: { localAddress: '127.0.0.1' } });
    strictEqual(local.status, 200);
  });

  it('refuses options that cannot be right', () => {
    for (const [config, message] of [
      [{ agent: {} }, /^agent must be one of maxBody, bodyDeadline, bodySilence, scheduler, agentOptions/],
      [{ agentOptions: [] }, /^agentOptions must be the options of an https\.Agent/],
      [{ agentOptions: { localAddress: 'eth0' } }, /their localAddress an IP address/],
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
