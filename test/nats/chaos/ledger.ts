import type { FleetBatch } from 'lobby-rx/fleet';

/** The sent and the received events of one identity. */
interface Account {
  sent: number;
  readonly received: number[];
}

/** Compares the sent events with the received ones. */
export class Ledger {
  readonly #accounts = new Map<string, Account>();
  gaps = 0;

  /** The number of the next event of an identity. */
  next(identity_id: string): number {
    return this.#of(identity_id).sent++;
  }

  receive({ identity_id, events, gap }: FleetBatch): void {
    if (gap) this.gaps++;
    for (const event of events) {
      const { payload } = event as unknown as { readonly payload: { readonly number: number } };
      this.#of(identity_id).received.push(payload.number);
    }
  }

  get sent(): number {
    return sum([...this.#accounts.values()].map(({ sent }) => sent));
  }

  get received(): number {
    return sum([...this.#accounts.values()].map(({ received }) => received.length));
  }

  /** How many events were lost, came twice, or came after a later one of the same identity. */
  get faults() {
    const accounts = [...this.#accounts.values()];
    const distinct = sum(accounts.map(({ received }) => new Set(received).size));
    const outOfOrder = accounts.map(
      ({ received }) => received.filter((number, i) => i > 0 && number < received[i - 1]!).length,
    );
    return { lost: this.sent - distinct, doubled: this.received - distinct, outOfOrder: sum(outOfOrder) };
  }

  #of(identity_id: string): Account {
    const account = this.#accounts.get(identity_id) ?? { sent: 0, received: [] };
    this.#accounts.set(identity_id, account);
    return account;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
