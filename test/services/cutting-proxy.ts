import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Every ninth part of an answer is cut, counted over all connections. */
const CUT_EVERY = 9;

/**
 * A proxy that closes a connection in the middle of a part of an answer. It counts the parts, and
 * draws no lots, so that each run of a test has as many cuts.
 */
export class CuttingProxy {
  cuts = 0;
  #isCutting = true;
  readonly #target: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #parts = 0;

  constructor(target: number) {
    this.#target = target;
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

  /** Passes everything on from now on. */
  stopCutting(): void {
    this.#isCutting = false;
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
    if (!this.#isCutting || this.#parts % CUT_EVERY !== 0) {
      client.write(data);
      return;
    }
    this.cuts++;
    client.write(data.subarray(0, data.length >> 1), () => client.destroy());
  }
}
