import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RealProxy } from './real-proxy.js';

/** What Debian installs, and its records. */
const INSTALLED = '/etc/trafficserver';
const USER = 'trafficserver';

/** Runs Traffic Server with more lines of records.config, and a remap.config. */
export function openTrafficServer(records: string, remap: string): Promise<RealProxy> {
  const isRoot = process.getuid?.() === 0;
  const start = ['traffic_server', '--run-root=FOLDER/runroot.yaml'];
  const args = isRoot ? [`--reuid=${USER}`, `--regid=${USER}`, '--clear-groups', ...start] : start.slice(1);
  return open(isRoot ? 'setpriv' : 'traffic_server', args, (port, folder) => {
    const at = (name: string) => join(folder, name);
    for (const name of ['run', 'log', 'cache']) mkdirSync(at(name));
    cpSync(INSTALLED, at('etc'), { recursive: true });
    const installed = readFileSync(join(INSTALLED, 'records.config'), 'utf8')
      .split('\n')
      .filter(line => !line.includes('proxy.config.http.server_ports'));
    const own = `CONFIG proxy.config.http.server_ports STRING ${port}:ip-in=127.0.0.1
CONFIG proxy.config.exec_thread.autoconfig INT 0
CONFIG proxy.config.exec_thread.limit INT 2
`;
    writeFileSync(at('etc/records.config'), `${installed.join('\n')}\n${own}${records}\n`);
    writeFileSync(at('etc/remap.config'), `${remap}\n`);
    writeFileSync(at('etc/storage.config'), `${at('cache')} 32M\n`);
    if (isRoot) execFileSync('chown', ['-R', `${USER}:${USER}`, folder]);
    const folders = {
      prefix: folder,
      exec_prefix: folder,
      bindir: '/usr/bin',
      sbindir: '/usr/sbin',
      sysconfdir: at('etc'),
      datadir: at('cache'),
      includedir: folder,
      libdir: '/usr/lib/trafficserver',
      libexecdir: '/usr/lib/trafficserver/modules',
      localstatedir: folder,
      runtimedir: at('run'),
      logdir: at('log'),
      cachedir: at('cache'),
    };
    writeFileSync(
      at('runroot.yaml'),
      Object.entries(folders)
        .map(([name, path]) => `${name}: ${path}\n`)
        .join(''),
    );
    return '';
  });
}
