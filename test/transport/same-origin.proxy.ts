import { strictEqual } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, createServer, type Server } from 'node:tls';
import { firstValueFrom } from 'rxjs';
import { createClient, eventsWatch, isStatusError } from 'lobby-rx';
import { createEmulator, listen, type EmulatorServer } from 'lobby-rx/emulator';
import { openNginx, type RealProxy } from '../real-proxy.js';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/browser.md'), 'utf8');
const [, LOCATION] = /^```nginx\n([^]*?)^```$/m.exec(PAGE)!;
const HOST = 'api.example.com';

/** Makes a certificate for the name of the page's service. Returns its files. */
function certificate(folder: string, name: string) {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const names = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`];
  execFileSync('openssl', [...request, '-keyout', key, '-out', cert, ...names], { stdio: 'ignore' });
  return { key, cert };
}

describe('the lines of nginx for a service under the origin of a page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lobby-rx-sni-'));
  const own = certificate(folder, 'own');
  const other = certificate(folder, 'other');
  const emulator = createEmulator();
  const { token } = emulator.addIdentity();
  let service: EmulatorServer;
  let front: Server;
  let proxy: RealProxy;

  before(async () => {
    service = await listen(emulator);
    const { port } = new URL(service.url);
    const context = createSecureContext({ key: readFileSync(own.key), cert: readFileSync(own.cert) });
    // It has a certificate only for whoever asks for its name.
    const SNICallback = (name: string, done: (error: Error | null, found?: typeof context) => void) =>
      name === HOST ? done(null, context) : done(new Error('no such name'));
    front = createServer({ SNICallback }, socket => {
      const behind = connect(Number(port), '127.0.0.1');
      socket.pipe(behind).pipe(socket);
      for (const each of [socket, behind]) each.on('error', () => [socket.destroy(), behind.destroy()]);
    });
    await once(front.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => proxy.close());
  after(async () => {
    front.close();
    await service.close();
    rmSync(folder, { recursive: true });
  });

  /** What an OK, or an error, of a request through nginx is. */
  const through = async (lines: string, trusted = own.cert) => {
    const location = lines.replace('/etc/ssl/certs/ca-certificates.crt', trusted);
    const { port } = front.address() as AddressInfo;
    proxy = await openNginx('127.0.0.1:9', location, `upstream ${HOST} { server 127.0.0.1:${port}; }`);
    const client = createClient({ url: `http://127.0.0.1:${proxy.port}/lobby`, token });
    return firstValueFrom(client.request(eventsWatch, {})).then(
      () => 'OK',
      (error: unknown) => (isStatusError(error) ? error.status : String(error)),
    );
  };

  it('reach a service that needs its name', async () => {
    strictEqual(await through(LOCATION!), 'OK');
  });

  it('do not without the name', async () => {
    strictEqual(await through(LOCATION!.replace('proxy_ssl_server_name on;', '')), 502);
  });

  it('send no token to a service whose certificate is not right', async () => {
    const before = emulator.requests.length;
    strictEqual(await through(LOCATION!, other.cert), 502);
    strictEqual(emulator.requests.length, before);
  });
});
