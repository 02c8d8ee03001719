import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { waitUntil } from './wait-until.js';

const PACKAGES: Readonly<Record<string, string>> = {
  nginx: 'nginx-light',
  haproxy: 'haproxy',
  apache2: 'apache2',
  caddy: 'caddy',
  varnishd: 'varnish',
  h2o: 'h2o',
  lighttpd: 'lighttpd',
  squid: 'squid',
  nghttpx: 'nghttp2-proxy',
  traffic_server: 'trafficserver',
};
const missing = Object.keys(PACKAGES).filter(program => spawnSync('which', [program]).status !== 0);
if (missing.length > 0) {
  const packages = Object.values(PACKAGES).join(' ');
  console.error(`not found: ${missing.join(', ')}; apt-get install ${packages}`);
  process.exit(2);
}

/** A real proxy on a port of its own. */
export interface RealProxy {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/**
 * Runs nginx with a location; `lobby` is the host and port behind it. `more` belongs to its `http`.
 */
export function openNginx(lobby: string, location: string, more = ''): Promise<RealProxy> {
  return open(
    'nginx',
    ['-e', 'stderr', '-c', 'FILE'],
    (port, folder) => `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr crit;
events {}
http {
  access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder}; scgi_temp_path ${folder}; ${more.replaceAll('FOLDER', folder)}
  upstream lobby { server ${lobby}; }
  server { listen 127.0.0.1:${port}; ${location.replaceAll('FOLDER', folder)} }
}`,
  );
}

/** Caddy, which can be reloaded with another config while it runs. */
export interface CaddyProxy extends RealProxy {
  readonly reload: () => Promise<void>;
}

/** Runs Caddy before a host and port. */
export async function openReloadableCaddy(lobby: string): Promise<CaddyProxy> {
  const admin = `127.0.0.1:${await freePort()}`;
  const config = (port: number, more = '') => `{
  admin ${admin}
  log {
    output discard
  }
}
http://127.0.0.1:${port} {
  ${more}
  reverse_proxy ${lobby}
}
`;
  const proxy = await open('caddy', ['run', '--adapter', 'caddyfile', '--config', 'FILE'], port =>
    config(port),
  );
  const reload = async () => {
    const response = await fetch(`http://${admin}/load`, {
      method: 'POST',
      headers: { 'content-type': 'text/caddyfile' },
      body: config(proxy.port, 'header X-New 1'),
    });
    if (!response.ok) throw new Error(await response.text());
  };
  return { ...proxy, reload };
}

/** Runs HAProxy with the lines of a backend. */
export function openHaproxy(
  lobby: string,
  backend: string,
  timeouts = 'timeout server 75s',
): Promise<RealProxy> {
  return openWholeHaproxy(`defaults
  mode http
  timeout connect 5s
  timeout client 75s
  ${timeouts}
frontend front
  bind :80
  default_backend lobby
backend lobby
  ${backend}
  server one ${lobby}
`);
}

/** Runs HAProxy with a whole configuration, whose `bind :80` becomes a free port. */
export function openWholeHaproxy(configuration: string): Promise<RealProxy> {
  return open('haproxy', ['-q', '-f', 'FILE'], port =>
    configuration.replace('bind :80', `bind 127.0.0.1:${port}`),
  );
}

const APACHE_MODULES = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'proxy_wstunnel'];

/** Runs Apache with the lines of a virtual host. */
export function openApache(lines: string): Promise<RealProxy> {
  const modules = APACHE_MODULES.map(
    name => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
  );
  return open(
    'apache2',
    ['-D', 'FOREGROUND', '-f', 'FILE'],
    (port, folder) => `${modules.join('\n')}
ServerRoot ${folder}
DefaultRuntimeDir ${folder}
PidFile ${folder}/pid
Mutex file:${folder} default
ErrorLog ${folder}/error.log
User www-data
Group www-data
ServerName localhost
Listen 127.0.0.1:${port}
${lines}
`,
  );
}

/** Runs Caddy with a site, whose `example.com` becomes a free port. */
export function openCaddy(site: string): Promise<RealProxy> {
  return open(
    'caddy',
    ['run', '--adapter', 'caddyfile', '--config', 'FILE'],
    port => `{
  admin off
  auto_https off
}
${site.replace('example.com {', `http://:${port} {\n  bind 127.0.0.1`)}`,
  );
}

/** Runs Varnish with a whole VCL. */
export function openVarnish(vcl: string): Promise<RealProxy> {
  const args = ['-F', '-j', 'none', '-a', '127.0.0.1:PORT', '-f', 'FILE', '-n', 'FOLDER/n'];
  return open('varnishd', [...args, '-s', 'malloc,16m'], () => vcl);
}

/** Runs h2o with its `hosts`. */
export function openH2o(hosts: string): Promise<RealProxy> {
  return open(
    'h2o',
    ['-c', 'FILE'],
    (port, folder) => `listen:
  host: 127.0.0.1
  port: ${port}
user: root
num-threads: 1
pid-file: ${folder}/pid
${hosts}`,
  );
}

/** Runs lighttpd with these lines. */
export function openLighttpd(lines: string): Promise<RealProxy> {
  return open(
    'lighttpd',
    ['-D', '-f', 'FILE'],
    (port, folder) => `server.document-root = "${folder}"
server.errorlog = "${folder}/error.log"
server.bind = "127.0.0.1"
server.port = ${port}
${lines}
`,
  );
}

/** Runs squid with these lines, whose `http_port 80` becomes a free port. */
export function openSquid(lines: string): Promise<RealProxy> {
  return open(
    'squid',
    ['-N', '-f', 'FILE'],
    (port, folder) => `${lines.replace('http_port 80', `http_port 127.0.0.1:${port}`)}
access_log none
cache_log ${folder}/cache.log
coredump_dir ${folder}
pid_filename none
pinger_enable off
logfile_rotate 0
shutdown_lifetime 0 seconds
visible_hostname squid.test
`,
  );
}

/** Runs a command line of nghttpx, whose frontend becomes a free port. */
export function openNghttpx(line: string): Promise<RealProxy> {
  const options = line
    .replaceAll("'", '')
    .split(/[\s\\]+/)
    .filter(word => word.startsWith('--') && !word.startsWith('--frontend'));
  const own = [
    '--frontend=127.0.0.1,PORT;no-tls',
    '--conf=/dev/null',
    '--workers=1',
    '--errorlog-file=/dev/null',
  ];
  return open('nghttpx', [...own, ...options], () => '');
}

/**
 * Runs a program whose arguments may name its `FILE` with the settings, its `FOLDER` and its
 * `PORT`.
 */
export async function open(
  program: string,
  args: readonly string[],
  settings: (port: number, folder: string) => string,
): Promise<RealProxy> {
  const folder = mkdtempSync(join(tmpdir(), `lobby-rx-${program}-`));
  // Apache, squid and Traffic Server write into it as users of their own.
  chmodSync(folder, 0o777);
  const file = join(folder, 'proxy.conf');
  const port = await freePort();
  writeFileSync(file, settings(port, folder));
  const filled = args.map(arg =>
    arg.replace('FILE', file).replace('FOLDER', folder).replace('PORT', String(port)),
  );
  const proxy = spawn(program, filled, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  let said = '';
  proxy.stderr.on('data', text => {
    said += String(text);
  });
  const hasEnded = () => proxy.exitCode !== null || proxy.signalCode !== null;
  await waitUntil(() => hasEnded() || accepts(port));
  if (hasEnded()) throw new Error(`${program} ${filled.join(' ')} has ended: ${said}`);
  return {
    port,
    close: async () => {
      if (!hasEnded()) {
        proxy.kill('SIGTERM');
        await once(proxy, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
