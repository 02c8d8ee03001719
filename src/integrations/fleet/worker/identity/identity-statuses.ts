import type { FailingIdentity, FleetEvent, Heartbeat } from '../../fleet-event.js';
import { isLive, STARTING, statusAfter, type IdentityEvent, type IdentityStatus } from './identity-status.js';

/** Texts of errors are cut off, because each heartbeat has them. */
const MAX_ERROR_LETTERS = 300;

interface Failure {
  readonly identity_id: string;
  readonly error: unknown;
}

/** The statuses of the identities that a worker follows. They are kept nowhere else. */
export class IdentityStatuses {
  readonly #statuses = new Map<string, IdentityStatus>();
  #starting = 0;
  #events = 0;
  /** The last failed poll. */
  #failure: Failure | undefined;
  #rejection: Failure | undefined;
  /**
   * The last error of NATS, and all identities for which NATS has failed since they were last
   * reported.
   */
  #unanswered: { readonly error: unknown; readonly identities: Set<string> } | undefined;

  /** The number of identities that have not been polled yet. */
  get starting(): number {
    return this.#starting;
  }

  /** An identity is followed from now on. */
  add(identity_id: string): void {
    this.#set(identity_id, STARTING);
  }

  /** An identity is not followed any more. */
  delete(identity_id: string): void {
    this.#set(identity_id, undefined);
  }

  /** Folds an event into the status of its identity. */
  next(identity_id: string, event: IdentityEvent, now: number): void {
    this.#set(identity_id, statusAfter(this.#statuses.get(identity_id)!, event, now));
    if (event.kind === 'stored') this.#events += event.events;
    if (event.kind === 'status' && event.status.error !== undefined)
      this.#failure = { identity_id, error: event.status.error };
    if (event.kind === 'rejected') this.#rejection = { identity_id, error: event.error };
    if (event.kind === 'nats_error') {
      const identities = this.#unanswered?.identities ?? new Set<string>();
      identities.add(identity_id);
      this.#unanswered = { error: event.error, identities };
    }
  }

  /** The part of a heartbeat about identities. */
  counts(
    now: number,
  ): Pick<Heartbeat, 'identities' | 'live' | 'retrying' | 'rejected' | 'events' | 'unstored'> {
    let live = 0;
    let retrying = 0;
    let rejected = 0;
    let unstored = 0;
    for (const status of this.#statuses.values()) {
      if (isLive(status, now)) live++;
      if (status.poll === 'retrying') retrying++;
      if (status.poll === 'rejected') rejected++;
      if (status.isUnstored) unstored++;
    }
    return { identities: this.#statuses.size, live, retrying, rejected, events: this.#events, unstored };
  }

  /** The last identity that is retried, and the last one that is rejected, if they still are. */
  get failing(): readonly FailingIdentity[] {
    return [this.#failure, this.#rejection].flatMap((failure, i) => {
      const is = i === 0 ? 'retrying' : 'rejected';
      if (!failure || this.#statuses.get(failure.identity_id)?.poll !== is) return [];
      const { identity_id, error } = failure;
      const text = error instanceof Error ? error.message : String(error);
      return [{ identity_id, is, error: text.slice(0, MAX_ERROR_LETTERS) }];
    });
  }

  /** Returns an event as long as polls fail, and one if NATS has failed since the last call. */
  failures(now: number): readonly FleetEvent[] {
    const events: FleetEvent[] = [];
    const { retrying } = this.counts(now);
    if (retrying === 0) this.#failure = undefined;
    else if (this.#failure) events.push({ kind: 'retrying', ...this.#failure, identities: retrying });
    if (this.#unanswered) {
      const { error, identities } = this.#unanswered;
      events.push({ kind: 'nats_error', error, identities: identities.size });
    }
    this.#unanswered = undefined;
    return events;
  }

  #set(identity_id: string, status: IdentityStatus | undefined): void {
    const before = this.#statuses.get(identity_id);
    if (before?.poll === 'starting') this.#starting--;
    if (status?.poll === 'starting') this.#starting++;
    if (status) this.#statuses.set(identity_id, status);
    else this.#statuses.delete(identity_id);
  }
}
