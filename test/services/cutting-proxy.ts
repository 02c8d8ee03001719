import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A proxy that closes a connection in the middle of a part of an answer: of every `every`-th part,
 * in whichever connection. It counts, and
 * does not draw lots, so that each run of a test has as many cuts.
 */
export class CuttingProxy {
  cuts = 0;
  /** Which part of all is cut: every 12th, for example. */
  every: number;
  readonly #target: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #parts = 0;

  constructor(target: number, every: number) {
    this.#target = target;
    this.every = every;
    this.#server = createServer(client => this.#connect(client));
  }

  /** Resolves to the port. */
  async start(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(client: Socket): void {
    const service = connect(this.#target, '127.0.0.1');
    this.#sockets.add(client);
    client.on('error', () => service.destroy());
    service.on('error', () => client.destroy());
    client.on('close', () => {
      this.#sockets.delete(client);
      service.destroy();
    });
    service.on('close', () => client.destroy());
    client.on('data', (data: Buffer) => service.write(data));
    service.on('data', (data: Buffer) => this.#answer(client, data));
  }

  #answer(client: Socket, data: Buffer): void {
    this.#parts++;
    if (this.#parts % this.every !== 0) {
      client.write(data);
      return;
    }
    this.cuts++;
    client.write(data.subarray(0, data.length >> 1), () => client.destroy());
  }
}
