import { BehaviorSubject, type Observable } from 'rxjs';
import type { Heartbeat } from './heartbeat.js';
import type { RelayedLog } from './relayed-log.js';
import { cloneable, type TabChannel, type TabMessage, type TabQuestion } from './tab-message.js';

/** The memory of a tab from one subscription to the next. */
export interface TabMemory<A> {
  readonly id: string;
  readonly log: RelayedLog<A>;
  readonly heartbeat: Heartbeat;
  /** The number of the newest leader. Each leader has a greater one than those before. */
  epoch: number;
}

/** Sends the messages of a tab to the others. */
export class TabOutbox<A> {
  readonly #memory: TabMemory<A>;
  readonly #channel: TabChannel;
  readonly #isAlone$ = new BehaviorSubject(false);
  #isClosed = false;

  constructor(memory: TabMemory<A>, channel: TabChannel) {
    this.#memory = memory;
    this.#channel = channel;
  }

  /** Whether this tab polls for itself, since it has no locks, or cannot send to the others. */
  get isAlone$(): Observable<boolean> {
    return this.#isAlone$;
  }

  get isAlone(): boolean {
    return this.#isAlone$.value;
  }

  beAlone(): void {
    this.#isAlone$.next(true);
  }

  post(message: TabMessage<A>): void {
    if (this.#isClosed || this.isAlone) return;
    try {
      this.#channel.postMessage(message);
    } catch {
      this.beAlone();
    }
  }

  /** Asks for the signals after the position of this tab. */
  ask(kind: TabQuestion['kind']): void {
    const { id, epoch, log } = this.#memory;
    this.post({ kind, by: id, epoch, position: log.position });
  }

  reply({ by, position }: TabQuestion): void {
    const { epoch, log } = this.#memory;
    this.post({
      kind: 'reply',
      to: by,
      epoch,
      since: position?.index,
      position: log.position,
      status: cloneable(log.status),
      missed: log.signalsSince(position),
    });
  }

  /** Sends nothing from now on. The channel receives nothing either. */
  close(): void {
    this.#isClosed = true;
    this.#channel.close();
  }
}
