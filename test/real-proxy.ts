import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';

for (const name of ['nginx', 'haproxy', 'caddy']) {
  if (spawnSync(name, ['-v']).error) {
    console.error(`${name} was not found: apt-get install nginx-light haproxy caddy`);
    process.exit(2);
  }
}

/** A real proxy on a port of its own. */
export interface RealProxy {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Runs nginx with a location; `lobby` is the host and port behind it. `more` belongs to its `http`. */
export function openNginx(lobby: string, location: string, more = ''): Promise<RealProxy> {
  return open(
    'nginx',
    ['-e', 'stderr', '-c'],
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
export async function openCaddy(lobby: string): Promise<CaddyProxy> {
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
  const proxy = await open('caddy', ['run', '--adapter', 'caddyfile', '--config'], port => config(port));
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
  return open(
    'haproxy',
    ['-q', '-f'],
    port => `defaults
  mode http
  timeout connect 5s
  timeout client 75s
  ${timeouts}
frontend front
  bind 127.0.0.1:${port}
  default_backend lobby
backend lobby
  ${backend}
  server one ${lobby}
`,
  );
}

async function open(
  program: string,
  args: readonly string[],
  settings: (port: number, folder: string) => string,
): Promise<RealProxy> {
  const folder = mkdtempSync(join(tmpdir(), `lobby-rx-${program}-`));
  const file = join(folder, `${program}.conf`);
  const port = await freePort();
  writeFileSync(file, settings(port, folder));
  const proxy = spawn(program, [...args, file], { stdio: ['ignore', 'ignore', 'inherit'] });
  await whenOpen(port);
  return {
    port,
    close: async () => {
      if (proxy.exitCode === null) {
        proxy.kill('SIGTERM');
        await once(proxy, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function whenOpen(port: number, attempts = 100): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
  } catch (error) {
    if (attempts === 0) throw error;
    await new Promise(resolve => setTimeout(resolve, 50));
    await whenOpen(port, attempts - 1);
  } finally {
    socket.destroy();
  }
}
