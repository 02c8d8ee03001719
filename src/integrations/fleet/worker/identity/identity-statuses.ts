import type { FleetEvent, Heartbeat } from '../../fleet-event.js';
import { isLive, STARTING, statusAfter, type IdentityEvent, type IdentityStatus } from './identity-status.js';

/** The identities that a worker follows. The status of each is here, and nowhere else. */
export class IdentityStatuses {
  readonly #statuses = new Map<string, IdentityStatus>();
  #starting = 0;
  #events = 0;
  /** The last poll that has failed. */
  #failure: { readonly identity_id: string; readonly error: unknown } | undefined;
  /** What NATS has last failed to do, and for which identities it has failed. */
  #unanswered: { readonly error: unknown; readonly identities: Set<string> } | undefined;

  /** How many have not been polled yet. */
  get starting(): number {
    return this.#starting;
  }

  /** It is followed from now on. */
  add(identity_id: string): void {
    this.#set(identity_id, STARTING);
  }

  /** It is not followed any more. */
  delete(identity_id: string): void {
    this.#set(identity_id, undefined);
  }

  /** Something has happened to an identity that is followed. */
  next(identity_id: string, event: IdentityEvent, now: number): void {
    this.#set(identity_id, statusAfter(this.#statuses.get(identity_id)!, event, now));
    if (event.kind === 'stored') this.#events += event.events;
    if (event.kind === 'status' && event.status.error !== undefined)
      this.#failure = { identity_id, error: event.status.error };
    if (event.kind === 'nats_error') {
      const { identities = new Set<string>() } = this.#unanswered ?? {};
      this.#unanswered = { error: event.error, identities: identities.add(identity_id) };
    }
  }

  /** What a heartbeat tells of them. */
  numbers(
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

  /** Why polls fail, as long as some do, and what NATS has failed to do since the last time. */
  failures(now: number): readonly FleetEvent[] {
    const events: FleetEvent[] = [];
    const { retrying } = this.numbers(now);
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
