import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';
import { freePort } from '../free-port.js';

/**
 * The programs to test with. NATS_SERVERS has their paths, separated by colons. `.ci/run` sets it.
 */
export const SERVERS = (process.env.NATS_SERVERS ?? 'nats-server').split(':');

/** A NATS server of a test. */
export interface NatsServer {
  readonly port: number;
  readonly process: () => ChildProcess;
  /** Makes a connection, which is closed with the server. */
  connect(options?: ConnectionOptions): Promise<NatsConnection>;
  /** Ends it, and keeps its store. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Gives a running server other lines for its configuration file. */
  configure(config: string): void;
  /** Starts it, perhaps as another version. */
  start(program?: string): Promise<void>;
  /**
   * Copies the store. Call it while the server is stopped. The returned function restores the copy.
   */
  copy(): () => void;
  /** Ends it, and removes its store. */
  remove(): Promise<void>;
}

/** The options of a server. */
export interface NatsServerConfig {
  readonly program?: string;
  readonly jetStream?: boolean;
  /** More lines for its configuration file. */
  readonly config?: string;
  /**
   * The size of a file system for its store, such as `16m`. The file system is gone when the
   * process ends. Needs Linux.
   */
  readonly disk?: string;
}

/** Returns the version of a program, or says what to install if it was not found. */
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
export async function startNatsServer(config: NatsServerConfig = {}): Promise<NatsServer> {
  const server = new ServerProcess(await freePort(), config);
  await server.start();
  return server;
}

class ServerProcess implements NatsServer {
  readonly port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'nats-'));
  readonly #store = join(this.#folder, 'store');
  readonly #file = join(this.#folder, 'server.conf');
  readonly #disk: string | undefined;
  readonly #lines: string;
  readonly #connections: NatsConnection[] = [];
  readonly #kill = () => this.#server?.kill('SIGKILL');
  #program: string;
  #server: ChildProcess | undefined;

  constructor(
    port: number,
    { program = SERVERS[0]!, jetStream = true, config = '', disk }: NatsServerConfig,
  ) {
    this.port = port;
    this.#program = program;
    this.#disk = disk;
    // Without this, a server would use only a part of its file system.
    const most = disk === undefined ? '' : ', max_file_store: 1GB';
    const store = jetStream ? `jetstream { store_dir: "${this.#store}"${most} }` : '';
    this.#lines = `listen: "127.0.0.1:${port}"\n${store}\n`;
    writeFileSync(this.#file, `${this.#lines}${config}\n`);
    mkdirSync(this.#store);
    process.on('exit', this.#kill);
  }

  process(): ChildProcess {
    return this.#server!;
  }

  async connect(options?: ConnectionOptions): Promise<NatsConnection> {
    const connection = await connect({
      servers: `127.0.0.1:${this.port}`,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 100,
      ...options,
    });
    this.#connections.push(connection);
    return connection;
  }

  configure(config: string): void {
    writeFileSync(this.#file, `${this.#lines}${config}\n`);
    this.#server!.kill('SIGHUP');
  }

  start(program = this.#program): Promise<void> {
    this.#program = program;
    const plain = [program, '-c', this.#file];
    const [command = '', ...args] =
      this.#disk === undefined ? plain : onDisk(this.#disk, this.#store, program, this.#file);
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
      this.#server = child;
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
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#server!;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise(resolve => child.once('exit', resolve));
    child.kill(signal);
    await exited;
  }

  copy(): () => void {
    const copied = join(this.#folder, 'copy');
    cpSync(this.#store, copied, { recursive: true });
    return () => {
      rmSync(this.#store, { recursive: true });
      renameSync(copied, this.#store);
    };
  }

  async remove(): Promise<void> {
    await Promise.all(this.#connections.map(connection => connection.close()));
    await this.stop('SIGKILL');
    process.off('exit', this.#kill);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The command that starts a server with its store on a file system of this size. */
function onDisk(size: string, store: string, program: string, file: string): readonly string[] {
  const script = 'mount -t tmpfs -o size="$0" tmpfs "$1" && exec "$2" -c "$3"';
  return ['unshare', '--map-root-user', '--mount', 'sh', '-c', script, size, store, program, file];
}

/** Starts a cluster of three. It needs some seconds to elect its leaders. */
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
