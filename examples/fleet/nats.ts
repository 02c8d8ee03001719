import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Debian installs nats-server in a folder that is not in everybody's path. */
process.env.PATH = `${process.env.PATH ?? ''}:/usr/sbin`;

/** Starts a NATS server on loopback, with its store in `folder`. It ends with this process. */
export async function startNats(folder: string) {
  const { stdout, error } = spawnSync('nats-server', ['--version'], { encoding: 'utf8' });
  if (error) {
    console.error(
      'npm run fleet: nats-server was not found; install it, on Debian with: apt-get install nats-server',
    );
    process.exit(2);
  }
  const file = join(folder, 'nats.conf');
  writeFileSync(file, `listen: "127.0.0.1:-1"\njetstream { store_dir: "${join(folder, 'nats')}" }\n`);
  const server = spawn('nats-server', ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const stop = () => server.kill('SIGKILL');
  process.on('exit', stop);
  let log = '';
  const port = await new Promise<number>((resolve, reject) => {
    server.stderr.on('data', (data: Buffer) => {
      log += data.toString();
      const port = /Listening for client connections on 127\.0\.0\.1:(\d+)/.exec(log)?.[1];
      if (port !== undefined && log.includes('Server is ready')) resolve(Number(port));
    });
    server.on('exit', () => {
      reject(new Error(log));
    });
  });
  return { port, stop, version: stdout.trim().replace('nats-server: v', '') };
}
