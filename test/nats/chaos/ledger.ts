import type { FleetBatch } from 'lobby-rx/fleet';

/** The sent and the received events of one identity. */
interface Account {
  sent: number;
  /** The numbers of the events, and the gaps between them. */
  readonly received: (number | 'gap')[];
}

/** What is wrong with the events of an identity. */
interface Faults {
  /** Events that never came, though no gap says so. */
  readonly lost: number;
  readonly lostWithGap: number;
  /** Events that came twice, without a gap between. */
  readonly doubled: number;
  readonly doubledWithGap: number;
  /** Events that came after a later one of the same identity, without a gap between. */
  readonly outOfOrder: number;
  /** More gaps than NATS was set back. */
  readonly falseGaps: number;
}

/** Compares the sent events with the received ones. */
export class Ledger {
  readonly #accounts = new Map<string, Account>();
  #setBacks = 0;

  /** The number of the next event of an identity. */
  next(identity_id: string): number {
    return this.#of(identity_id).sent++;
  }

  receive({ identity_id, events, gap }: FleetBatch): void {
    const { received } = this.#of(identity_id);
    if (gap) received.push('gap');
    for (const event of events) {
      const { payload } = event as unknown as { readonly payload: { readonly number: number } };
      received.push(payload.number);
    }
  }

  /** NATS has lost the end of its stream. That may cost each identity a gap. */
  setBack(): void {
    this.#setBacks++;
  }

  get sent(): number {
    return sum([...this.#accounts.values()].map(({ sent }) => sent));
  }

  /** How many different events have come. */
  get received(): number {
    return sum([...this.#accounts.values()].map(({ received }) => numbersIn(received).size));
  }

  get gaps(): number {
    return sum([...this.#accounts.values()].map(({ received }) => gapsIn(received)));
  }

  get faults(): Faults {
    const each = [...this.#accounts.values()].map(account => faultsOf(account, this.#setBacks));
    const total = (name: keyof Faults) => sum(each.map(faults => faults[name]));
    return {
      lost: total('lost'),
      lostWithGap: total('lostWithGap'),
      doubled: total('doubled'),
      doubledWithGap: total('doubledWithGap'),
      outOfOrder: total('outOfOrder'),
      falseGaps: total('falseGaps'),
    };
  }

  #of(identity_id: string): Account {
    const account = this.#accounts.get(identity_id) ?? { sent: 0, received: [] };
    this.#accounts.set(identity_id, account);
    return account;
  }
}

function faultsOf({ sent, received }: Account, setBacks: number): Faults {
  /** How many gaps had come before each event. */
  const gapsBefore = new Map<number, number>();
  const explained = new Set<number>();
  let gaps = 0;
  let isAfterGap = false;
  let previous = -1;
  let highest = -1;
  let doubled = 0;
  let doubledWithGap = 0;
  let outOfOrder = 0;
  for (const number of received) {
    if (number === 'gap') {
      gaps++;
      isAfterGap = true;
      continue;
    }
    if (gapsBefore.get(number) === gaps) doubled++;
    else if (gapsBefore.has(number)) doubledWithGap++;
    else if (number < previous && !isAfterGap) outOfOrder++;
    if (isAfterGap) for (let missed = highest + 1; missed < number; missed++) explained.add(missed);
    gapsBefore.set(number, gaps);
    isAfterGap = false;
    previous = number;
    highest = Math.max(highest, number);
  }
  const missing = Array.from({ length: sent }, (_, number) => number).filter(
    number => !gapsBefore.has(number),
  );
  const lostWithGap = missing.filter(number => explained.has(number)).length;
  return {
    lost: missing.length - lostWithGap,
    lostWithGap,
    doubled,
    doubledWithGap,
    outOfOrder,
    falseGaps: Math.max(0, gaps - setBacks),
  };
}

const gapsIn = (received: Account['received']) => received.filter(entry => entry === 'gap').length;
const numbersIn = (received: Account['received']) => new Set(received.filter(entry => entry !== 'gap'));

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
