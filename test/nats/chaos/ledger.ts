import type { FleetBatch } from 'lobby-rx/fleet';

/** The sent and the received events of one identity. */
interface Account {
  sent: number;
  /** The numbers of the events, and what came between them. */
  readonly received: (number | 'gap' | 'restart')[];
}

/** What is wrong with the events of an identity. */
interface Faults {
  /** Events that never came, though no gap says so. */
  readonly lost: number;
  readonly lostWithGap: number;
  /** Events that came twice, without anything between that explains it. */
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
  #position = 0;
  #wentBack = 0;

  /** The number of the next event of an identity. */
  next(identity_id: string): number {
    return this.#of(identity_id).sent++;
  }

  receive({ identity_id, events, gap, position }: FleetBatch): void {
    if (position <= this.#position && !gap) this.#wentBack++;
    this.#position = position;
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

  /**
   * The consumer has started again. It does not know which identities still wait for the gap of a
   * set-back, as docs/fleet-restore.md says.
   */
  restart(): void {
    for (const { received } of this.#accounts.values()) {
      if (gapsIn(received) < this.#setBacks) received.push('restart');
    }
  }

  /** How often a batch without a gap had a position that was not higher than the one before. */
  get wentBack(): number {
    return this.#wentBack;
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
  /** How many gaps and restarts had come before each event. */
  const breaksBefore = new Map<number, number>();
  const explained = new Set<number>();
  let breaks = 0;
  let isAfterGap = false;
  let previous = -1;
  let highest = -1;
  let doubled = 0;
  let doubledWithGap = 0;
  let outOfOrder = 0;
  for (const number of received) {
    if (typeof number === 'string') {
      breaks++;
      isAfterGap ||= number === 'gap';
      continue;
    }
    if (breaksBefore.get(number) === breaks) doubled++;
    else if (breaksBefore.has(number)) doubledWithGap++;
    else if (number < previous && !isAfterGap) outOfOrder++;
    if (isAfterGap) for (let missed = highest + 1; missed < number; missed++) explained.add(missed);
    breaksBefore.set(number, breaks);
    isAfterGap = false;
    previous = number;
    highest = Math.max(highest, number);
  }
  const missing = Array.from({ length: sent }, (_, number) => number).filter(
    number => !breaksBefore.has(number),
  );
  const lostWithGap = missing.filter(number => explained.has(number)).length;
  return {
    lost: missing.length - lostWithGap,
    lostWithGap,
    doubled,
    doubledWithGap,
    outOfOrder,
    falseGaps: Math.max(0, gapsIn(received) - setBacks),
  };
}

const gapsIn = (received: Account['received']) => received.filter(entry => entry === 'gap').length;
const numbersIn = (received: Account['received']) =>
  new Set(received.filter(entry => typeof entry === 'number'));

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
