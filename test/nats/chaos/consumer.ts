import { EMPTY, type Subscription } from 'rxjs';
import type { NatsConnection } from '@nats-io/transport-node';
import { fleetBatches, type FleetPosition } from 'lobby-rx/fleet';
import type { Ledger } from './ledger.js';

/** The consumer of a run. It comes and goes, and always continues from its last position. */
export class Consumer {
  readonly #nats: NatsConnection;
  readonly #ledger: Ledger;
  readonly #log: (text: string) => void;
  #last: FleetPosition = { position: 0, storedAt: 0 };
  #consuming: Subscription | undefined;
  #connection: NatsConnection;
  #kills = 0;

  constructor(nats: NatsConnection, ledger: Ledger, log: (text: string) => void) {
    this.#nats = nats;
    this.#ledger = ledger;
    this.#log = log;
    this.#connection = nats;
  }

  /** How often it was killed. */
  get kills(): number {
    return this.#kills;
  }

  /** The position of the last batch. */
  get last(): FleetPosition {
    return this.#last;
  }

  /** Ends the subscription, and begins again. */
  begin(connection = this.#nats): void {
    this.#consuming?.unsubscribe();
    this.#ledger.restart();
    const from = this.#last;
    const ack = () => EMPTY;
    this.#consuming = fleetBatches({ nats: connection, durable: 'ledger', from, ack }).subscribe({
      next: batch => {
        const { position, storedAt } = batch;
        this.#last = { position, storedAt };
        this.#ledger.receive(batch);
      },
      error: (error: unknown) => {
        if (!connection.isClosed()) this.#log(`the consumer has ended: ${String(error)}`);
      },
    });
  }

  /** Closes the old connection, as if the process was killed. Begins again with `connection`. */
  async moveTo(connection: NatsConnection): Promise<void> {
    this.#kills++;
    const before = this.#connection;
    this.#connection = connection;
    if (before !== this.#nats) await before.close();
    this.begin(connection);
  }

  end(): void {
    this.#consuming?.unsubscribe();
  }
}
