import type { SchedulerLike } from 'rxjs';
import type { WatchSignal } from '../../stream/index.js';
import type { TabLead } from './tab-lead.js';
import {
  revived,
  withStatus,
  type Relayed,
  type TabChannel,
  type TabMessage,
  type TabReply,
} from './tab-message.js';
import type { TabMemory, TabOutbox } from './tab-outbox.js';

/** Receives the messages of the other tabs, and answers their questions. */
export class TabInbox<A> {
  readonly #memory: TabMemory<A>;
  readonly #outbox: TabOutbox<A>;
  readonly #lead: TabLead<A>;
  readonly #scheduler: SchedulerLike;

  constructor(memory: TabMemory<A>, outbox: TabOutbox<A>, lead: TabLead<A>, scheduler: SchedulerLike) {
    this.#memory = memory;
    this.#outbox = outbox;
    this.#lead = lead;
    this.#scheduler = scheduler;
  }

  /** Receives until the channel is closed. `emit` gets the signals that this tab has to emit. */
  open(channel: TabChannel, emit: (signal: WatchSignal<A>) => void): void {
    channel.onmessage = ({ data }) => {
      for (const signal of this.#onMessage(data as TabMessage<A>)) emit(signal);
    };
  }

  /** The signals that follow from a message. */
  #onMessage(message: TabMessage<A>): readonly WatchSignal<A>[] {
    // Compared before this tab learns the number of the message.
    const isOlder = message.epoch < this.#memory.epoch;
    this.#memory.epoch = Math.max(this.#memory.epoch, message.epoch);
    if (this.#lead.hasLock) return this.#onMessageWhileLeading(message);
    return isOlder ? this.#onOlderMessage(message) : this.#onMessageWhileFollowing(message);
  }

  #onMessageWhileLeading(message: TabMessage<A>): readonly WatchSignal<A>[] {
    if (message.kind === 'reply') return this.#onReplyWhileLeading(message);
    // The message may be that of a newer leader, or have its number.
    void this.#lead.confirm().then(isLeading => {
      if (isLeading && message.kind === 'hello') this.#outbox.reply(message);
    });
    return [];
  }

  /** A reply says where a tab that is about to poll has to continue. */
  #onReplyWhileLeading({ to, missed, position }: TabReply<A>): readonly WatchSignal<A>[] {
    const { id, log } = this.#memory;
    if (to !== id || !this.#lead.hasYetToPoll || log.isState) return [];
    return log.take(missed ?? [], position);
  }

  /** A message of a tab that does not know the newest leader. */
  #onOlderMessage(message: TabMessage<A>): readonly WatchSignal<A>[] {
    // With the reply, the tab learns the number of the newest leader.
    if (message.kind === 'claim') this.#outbox.reply(message);
    return [];
  }

  #onMessageWhileFollowing(message: TabMessage<A>): readonly WatchSignal<A>[] {
    const { id, log, heartbeat } = this.#memory;
    // The leader answers it.
    if (message.kind === 'hello') return [];
    heartbeat.endSilence();
    switch (message.kind) {
      case 'claim':
        if (log.knowsMoreThan(message.position)) this.#outbox.reply(message);
        return [];
      case 'reply':
        return message.to === id ? this.#onReplyWhileFollowing(message) : [];
      case 'signal':
        if (log.orderOf(message.relayed) === 'later') this.#outbox.ask('hello');
        return log.take([withStatus(message.relayed, revived)]);
      case 'beat':
        // This tab has missed the signals before the leader's index.
        if (message.index !== log.index) this.#outbox.ask('hello');
        return [];
    }
  }

  #onReplyWhileFollowing(reply: TabReply<A>): readonly WatchSignal<A>[] {
    const { since, position, status, missed } = reply;
    const { log } = this.#memory;
    const { index } = log;
    const current: Relayed<A> = { since, signal: { kind: 'status', status: revived(status) } };
    // This tab has received more since it asked.
    if (since !== index) return log.take([current]);
    if (missed) return log.take([current, ...missed], position);
    // A leader that has no answer yet knows less than this tab. Its first answer comes after a gap,
    // unless this tab leads before that.
    if (!position) return log.take([current]);
    const gap = { reason: 'unwatched', at: this.#scheduler.now(), index } as const;
    return [...log.take([current]), { kind: 'gap', gap }, ...log.skipTo(position)];
  }
}
