import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';
import { freePort } from '../free-port.js';

/** The programs to test with: NATS_SERVERS has paths between colons. */
export const SERVERS = (process.env.NATS_SERVERS ?? 'nats-server').split(':');

/** A NATS server of a test. */
export interface NatsServer {
  readonly port: number;
  readonly process: () => ChildProcess;
  /** A new connection, which is closed with the server. */
  connect(options?: ConnectionOptions): Promise<NatsConnection>;
  /** Ends it. What it has stored stays. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  start(): Promise<void>;
  /**
   * Copies what it has stored; call it while it is stopped. The returned function puts that back.
   */
  copy(): () => void;
  /** Ends it, and removes what it has stored. */
  remove(): Promise<void>;
}

/** How a server is started. */
export interface NatsServerConfig {
  readonly program?: string;
  readonly jetStream?: boolean;
  /** More lines of its configuration. */
  readonly config?: string;
  /**
   * How large the file system is that it stores on, such as `16m`. It is gone with its process.
   * Needs Linux.
   */
  readonly disk?: string;
}

/** Says which version a program is, or what to install if there is none. */
export function versionOf(program: string): string {
  const { error, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  if (error) {
    console.error(
      `${program} was not found: apt-get install nats-server, or set NATS_SERVERS to paths of it`,
    );
    process.exit(2);
  }
  return stdout.trim().replace('nats-server: v', '');
}

/** Starts a server on loopback. It ends with this process. */
export async function startNatsServer({
  program = SERVERS[0]!,
  jetStream = true,
  config = '',
  disk,
}: NatsServerConfig = {}): Promise<NatsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'nats-'));
  const port = await freePort();
  const file = join(folder, 'server.conf');
  // By itself, a server would take no more than a part of its file system.
  const most = disk === undefined ? '' : ', max_file_store: 1GB';
  const store = jetStream ? `jetstream { store_dir: "${join(folder, 'store')}"${most} }` : '';
  writeFileSync(file, `listen: "127.0.0.1:${port}"\n${store}\n${config}\n`);
  mkdirSync(join(folder, 'store'));
  const onDisk = (size: string) => [
    'unshare',
    '--map-root-user',
    '--mount',
    'sh',
    '-c',
    'mount -t tmpfs -o size="$0" tmpfs "$1" && exec "$2" -c "$3"',
    size,
    join(folder, 'store'),
    program,
    file,
  ];
  const [command = '', ...args] = disk === undefined ? [program, '-c', file] : onDisk(disk);
  let server: ChildProcess | undefined;
  const connections: NatsConnection[] = [];
  const end = () => server?.kill('SIGKILL');
  process.on('exit', end);

  const start = () =>
    new Promise<void>((resolve, reject) => {
      const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
      server = child;
      let log = '';
      child.stderr.on('data', (data: Buffer) => {
        log += data.toString();
        if (log.includes('Server is ready')) resolve();
      });
      child.on('error', reject);
      child.on('exit', () => {
        reject(new Error(log));
      });
    });
  const stop = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => {
    const child = server!;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise(resolve => child.once('exit', resolve));
    child.kill(signal);
    await exited;
  };
  await start();
  return {
    port,
    process: () => server!,
    connect: async options => {
      const connection = await connect({
        servers: `127.0.0.1:${port}`,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 100,
        ...options,
      });
      connections.push(connection);
      return connection;
    },
    start,
    stop,
    copy: () => {
      const [stored, copied] = [join(folder, 'store'), join(folder, 'copy')];
      cpSync(stored, copied, { recursive: true });
      return () => {
        rmSync(stored, { recursive: true });
        renameSync(copied, stored);
      };
    },
    remove: async () => {
      await Promise.all(connections.map(connection => connection.close()));
      await stop('SIGKILL');
      process.off('exit', end);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a cluster of three, which needs some seconds to choose its leaders. */
export async function startNatsCluster(program: string, more = ''): Promise<readonly NatsServer[]> {
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const routes = ports.map(port => `"nats://127.0.0.1:${port}"`).join();
  return Promise.all(
    ports.map((port, i) => {
      const cluster = `cluster { name: c, listen: "127.0.0.1:${port}", routes: [${routes}] }`;
      return startNatsServer({ program, config: `server_name: s${i}\n${cluster}\n${more}` });
    }),
  );
}
