import type { SchedulerLike } from 'rxjs';
import { errorLine, type FreeSlotReason, type GateLogEntry } from './gate-log-entry.js';
import type { SocketClosed } from '../player-socket.js';
import type { Refusal } from './refusal.js';

/** How many reasons are counted one by one. `other` counts the rest. */
const MAX_REASONS = 64;

/** How a player has left. */
export interface PlayerLeft extends SocketClosed {
  /** Their connection had dropped, and they have not come back. */
  readonly wasAway?: true;
}

/** The counts and the log of a gate. Each method counts one kind of event, and logs it. */
export class GateReport {
  admitted = 0;
  freed = 0;
  notFreed = 0;
  hookFailures = 0;
  #isAnsweredTwice = false;
  /** How many clients have been refused, by reason. */
  readonly refusals = new Map<string, number>();

  constructor(
    readonly log: (entry: GateLogEntry) => void,
    readonly scheduler: SchedulerLike,
  ) {}

  onAdmitted(address: string): void {
    this.admitted++;
    this.log({ kind: 'admitted', at: this.#now, address });
  }

  onAway(address: string, closed: SocketClosed): void {
    this.log({ kind: 'away', at: this.#now, address, ...closed });
  }

  onReturned(address: string): void {
    this.log({ kind: 'returned', at: this.#now, address });
  }

  /** `closed` is absent if the player had left before they were admitted. */
  onLeft(address: string, closed?: PlayerLeft): void {
    this.log({ kind: 'left', at: this.#now, address, ...closed });
  }

  onFreed(why: FreeSlotReason, attempts: number): void {
    this.freed++;
    this.log({ kind: 'freed', at: this.#now, why, attempts });
  }

  onRetrying(error: string): void {
    this.log({ kind: 'retrying', at: this.#now, hook: 'freeSlot', error });
  }

  onSlow(hook: 'freeSlot'): void {
    this.log({ kind: 'slow', at: this.#now, hook });
  }

  /** A file of `slotFiles` was cut off, so that its token is lost. */
  onSetAside(file: string): void {
    this.log({ kind: 'set_aside', at: this.#now, file });
  }

  onNotFreed(error: unknown, token: string): void {
    this.notFreed++;
    this.log({ kind: 'hook_failed', at: this.#now, hook: 'freeSlot', error: errorLine(error, token) });
  }

  onHookFailed(hook: string, error: unknown): void {
    this.hookFailures++;
    this.log({ kind: 'hook_failed', at: this.#now, hook, error: errorLine(error) });
  }

  /** `code` is an HTTP status before the upgrade, a close code after it. */
  onRefused({ reason, error }: Refusal, code: number, address: string): void {
    const isCounted = this.refusals.has(reason) || this.refusals.size < MAX_REASONS - 1;
    const name = isCounted ? reason : 'other';
    this.refusals.set(name, (this.refusals.get(name) ?? 0) + 1);
    this.log({
      kind: 'refused',
      at: this.#now,
      address,
      code,
      reason,
      ...(error !== undefined && { error }),
    });
  }

  onNotTheService(error: string): void {
    this.log({ kind: 'not_the_service', at: this.#now, error });
  }

  /** Logged once, since it is so for each client of the path. */
  onAnsweredTwice(address: string): void {
    if (!this.#isAnsweredTwice) this.log({ kind: 'answered_twice', at: this.#now, address });
    this.#isAnsweredTwice = true;
  }

  onBehindProxy(address: string, open: number): void {
    this.log({ kind: 'behind_proxy', at: this.#now, address, open });
  }

  onDrained(freed: number, failed: number): void {
    this.log({ kind: 'drained', at: this.#now, freed, failed });
  }

  get #now(): number {
    return this.scheduler.now();
  }
}
