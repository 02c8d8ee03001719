import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { execFile } from 'node:child_process';
import { Agent } from 'node:http';
import type { LookupFunction } from 'node:net';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import { lastValueFrom } from 'rxjs';
import {
  createClient,
  fromFetch,
  isTransportError,
  whyNotConnected,
  withToken,
  type FetchLike,
  type Transport,
  type TransportError,
} from 'lobby-rx';
import { fromHttp } from 'lobby-rx/node';
import { rawServer, type RawServer } from '../raw-server.js';

const run = promisify(execFile);

/** How a confirmation ends that is sent to this URL. */
async function failureOf(transport: Transport, url = 'http://group.example:81'): Promise<TransportError> {
  const client = createClient({ url, insecure: true, token: 't', transport });
  const error = await lastValueFrom(client.matchmaker.players.connected({ player_token: 'p' })).catch(
    (e: unknown) => e,
  );
  ok(isTransportError(error), String(error));
  return error;
}

/** Why a confirmation fails whose fetch fails like this. */
const reasonOf = async (thrown: unknown) =>
  (await failureOf(fromFetch({ fetch: () => Promise.reject(thrown) }))).reason;

const withCode = (code: string, syscall?: string) =>
  Object.assign(new Error(code), { code, ...(syscall && { syscall }) });

describe('a failure before a connection was made', () => {
  let server: RawServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  const LOOKUP_CODES = ['EAI_FAIL', 'EAI_AGAIN', 'ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'ETIMEOUT'];
  const failing =
    (code: string): LookupFunction =>
    (_, __, callback) =>
      callback(withCode(code), '');

  it('shows no token that a fetch has in its code, or in an error with a tag of this library', async () => {
    const thrown = [
      Object.assign(new Error('no'), { code: 'my-bearer-1' }),
      Object.assign(new Error('no my-bearer-1'), { _tag: 'TransportError' }),
    ];
    for (const error of thrown) {
      const transport = withToken(fromFetch({ fetch: () => Promise.reject(error) }), 'my-bearer-1');
      const seen = await failureOf(transport);
      ok(!inspect(seen, { depth: 9 }).includes('my-bearer-1'), inspect(seen));
    }
  });

  it('leaves a confirmation not sent if the lookup failed, with any code', async () => {
    const { default: crossFetch } = await import('cross-fetch');
    for (const code of [...LOOKUP_CODES, 'ECANCELLED', 'EMFILE', 'ENFILE']) {
      const lookup = failing(code);
      const agent = new Agent({ lookup });
      const fetch: FetchLike = (url, init) => crossFetch(url, { ...init, agent } as object);
      for (const transport of [fromHttp({ agent }), fromFetch({ fetch })]) {
        const error = await failureOf(transport);
        strictEqual(error.reason, 'unreachable', code);
        ok(error.message.startsWith(`the service cannot be reached: ${code} (POST `), error.message);
        deepStrictEqual(whyNotConnected(error), { outcome: 'not_sent' });
      }
    }
  });

  it('is one where there is no descriptor left, also for the first request of a process', async () => {
    server = await rawServer(socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'));
    const { url } = server;
    const program = join(import.meta.dirname, 'no-descriptor-program.ts');
    const outcomes = async (first: 'sent before' | 'not sent before') => {
      const node = [process.execPath, '--import', 'tsx', program, url, first];
      // Loaded in another way than here, so that `npm run coverage` would count other lines.
      const env = { ...process.env, NODE_V8_COVERAGE: '' };
      const { stdout } = await run('sh', ['-c', 'ulimit -n 500; exec "$@"', 'sh', ...node], { env });
      return stdout.trim().split('\n');
    };
    const unreachable = 'unreachable: not_sent';
    for (const first of ['sent before', 'not sent before'] as const)
      deepStrictEqual(await outcomes(first), [unreachable, unreachable, 'OK']);
  });

  it('is none if the process may not use the network, which no other try can change', async () => {
    const error = await failureOf(fromFetch({ fetch: () => Promise.reject(withCode('ERR_ACCESS_DENIED')) }));
    deepStrictEqual([error.reason, error.message.includes('--allow-net')], ['not_sent', true]);
  });

  it('may have any code, if the system was connecting', async () => {
    for (const code of ['ETIMEDOUT', 'ECONNRESET', 'EACCES', 'ENOBUFS', 'EPERM']) {
      strictEqual(await reasonOf(withCode(code, 'connect')), 'unreachable', code);
      strictEqual(await reasonOf(withCode(code, 'read')), 'lost', code);
      strictEqual(await reasonOf(withCode(code)), 'lost', code);
    }
    strictEqual(await reasonOf(withCode('EOF', 'queryAaaa')), 'unreachable');
    strictEqual(await reasonOf(withCode('ENOMEM', 'getaddrinfo')), 'unreachable');
    strictEqual(await reasonOf(withCode('EINVAL', 'bind')), 'unreachable');
  });

  it('is none if the code comes from a connection', async () => {
    for (const code of ['EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED']) {
      strictEqual(await reasonOf(withCode(code)), 'unreachable', code);
      strictEqual(await reasonOf({ cause: withCode(code, 'read') }), 'lost', code);
      strictEqual(await reasonOf({ cause: withCode(code, 'write') }), 'lost', code);
    }
  });

  it('is that of all addresses that were tried', async () => {
    const timedOut = withCode('ETIMEDOUT', 'connect');
    const refused = withCode('ECONNREFUSED', 'connect');
    const all = (...errors: Error[]) => Object.assign(new AggregateError(errors), { code: 'ETIMEDOUT' });
    strictEqual(await reasonOf(all(timedOut, refused)), 'unreachable');
    strictEqual(await reasonOf({ cause: all(timedOut, refused) }), 'unreachable');
    strictEqual(await reasonOf(all(timedOut, withCode('ECONNRESET', 'read'))), 'lost');
    strictEqual(await reasonOf(all()), 'lost');
    const cyclic: unknown[] = [];
    cyclic.push({ errors: cyclic });
    strictEqual(await reasonOf(cyclic[0]), 'lost');
  });

  it('is known from Node itself, also if a fetch leaves out what it says', async () => {
    server = await rawServer(() => undefined);
    const { url } = server;
    await server.close();
    for (const transport of [fromFetch(), fromHttp()]) {
      const { cause } = await failureOf(transport, url);
      ok((cause as Error).message.startsWith('connect ECONNREFUSED'), String(cause));
    }
  });
});
