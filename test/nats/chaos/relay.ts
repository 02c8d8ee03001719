import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** From the client to the server, or from the server to the client. */
export type Direction = 'up' | 'down';

/** A connection through a relay: from which socket to which one, by direction. */
type Pair = Readonly<Record<Direction, readonly [from: Socket, to: Socket]>>;

/** Passes on what a client and a server send to each other, until it is disturbed. */
export class Relay {
  readonly port: number;
  readonly #close: () => void;
  readonly #pairs = new Set<Pair>();
  readonly #held = new Set<Direction>();
  #isCut = false;

  private constructor(port: number, close: () => void) {
    this.port = port;
    this.#close = close;
  }

  /** Starts a relay to a port of this machine. */
  static async start(to: number): Promise<Relay> {
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    server.unref();
    const relay = new Relay((server.address() as AddressInfo).port, () => server.close());
    server.on('connection', socket => relay.#accept(socket, to));
    return relay;
  }

  /** Ends all connections, and refuses others. */
  cut(): void {
    this.#isCut = true;
    for (const pair of this.#pairs) this.#end(pair);
  }

  /**
   * Passes on nothing in these directions, not even that a connection was closed. That is how a
   * firewall that drops packets looks, or a machine without power.
   */
  hold(...directions: readonly Direction[]): void {
    for (const direction of directions) {
      this.#held.add(direction);
      for (const pair of this.#pairs) {
        const [from, to] = pair[direction];
        from.unpipe(to).pause();
      }
    }
  }

  /** Passes on everything again. A connection that one side has closed meanwhile ends. */
  release(): void {
    const held = [...this.#held];
    this.#held.clear();
    this.#isCut = false;
    for (const pair of this.#pairs) {
      const isClosed = pair.up.some(({ destroyed }) => destroyed);
      if (isClosed) this.#end(pair);
      else for (const direction of held) pass(pair[direction]);
    }
  }

  close(): void {
    this.#close();
    this.cut();
  }

  #accept(incoming: Socket, port: number): void {
    if (this.#isCut) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(port, '127.0.0.1');
    const pair: Pair = { up: [incoming, outgoing], down: [outgoing, incoming] };
    this.#pairs.add(pair);
    for (const direction of ['up', 'down'] as const) {
      const [from] = pair[direction];
      // `close` follows.
      from.on('error', () => undefined);
      from.on('close', () => {
        if (!this.#held.has(direction)) this.#end(pair);
      });
      if (!this.#held.has(direction)) pass(pair[direction]);
    }
  }

  #end(pair: Pair): void {
    this.#pairs.delete(pair);
    for (const socket of pair.up) socket.destroy();
  }
}

function pass([from, to]: Pair[Direction]): void {
  from.pipe(to);
}
