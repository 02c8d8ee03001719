import { signal } from '@angular/core';
import type { SchedulerLike, Subscription } from 'rxjs';
import type { LiveEvent, NoOwnEvents, Notification } from '../../../protocol/index.js';
import { debugName } from '../debug-name.js';

/** A notification that is shown. */
export interface ShownNotification<Own extends object = NoOwnEvents> {
  /** Different for each notification. Track it by this in a template. */
  readonly id: number;
  readonly notification: Notification;
  /** The event that it belongs to. */
  readonly event: LiveEvent<Own>;
  /**
   * Whether `open` does anything. It needs a handler of yours, or a `url` of http: or https:.
   */
  readonly canOpen: boolean;
}

/** How many notifications are shown at once. */
const MAX_SHOWN = 4;

/** How a player touches a notification. */
type Holder = 'pointer' | 'focus';

/** The settings of the notifications, and whether their page is hidden. */
interface ShownNotificationsConfig {
  /** How long a notification is shown, in ms. */
  readonly duration: number;
  readonly scheduler: SchedulerLike;
  readonly isPageHidden: () => boolean;
}

/** The notifications that are shown, each until its time is over. */
export class ShownNotifications<Own extends object> {
  readonly #config: ShownNotificationsConfig;
  readonly #shown = signal<readonly ShownNotification<Own>[]>([], debugName('notifications.shown'));
  readonly #timers = new Map<number, Subscription>();
  readonly #holders = new Map<number, Set<Holder>>();
  #lastId = 0;

  /** The oldest first. */
  readonly shown = this.#shown.asReadonly();

  constructor(config: ShownNotificationsConfig) {
    this.#config = config;
  }

  find(id: number): ShownNotification<Own> | undefined {
    return this.#shown().find(shown => shown.id === id);
  }

  show(notification: Omit<ShownNotification<Own>, 'id'>): void {
    this.#lastId++;
    const id = this.#lastId;
    this.#shown.update(before => [...before, { ...notification, id }]);
    this.#startTimer(id);
    if (this.#shown().length <= MAX_SHOWN) return;
    const others = this.#shown().slice(0, -1);
    // If the player touches all of them, the oldest makes room.
    const leaving = others.find(shown => !this.#isHeld(shown.id)) ?? others[0];
    if (leaving) this.dismiss(leaving.id);
  }

  hold(id: number, by: Holder = 'pointer'): void {
    if (!this.find(id)) return;
    this.#stopTimer(id);
    const holders = this.#holders.get(id) ?? new Set();
    holders.add(by);
    this.#holders.set(id, holders);
  }

  release(id: number, by: Holder = 'pointer'): void {
    this.#holders.get(id)?.delete(by);
    if (this.find(id)) this.#startTimer(id);
  }

  dismiss(id: number): void {
    this.#stopTimer(id);
    this.#holders.delete(id);
    this.#shown.update(before => before.filter(shown => shown.id !== id));
  }

  /** The page was shown or hidden. Each notification gets its whole time again. */
  restartTimers(): void {
    for (const { id } of this.#shown()) this.#startTimer(id);
  }

  stopTimers(): void {
    for (const timer of this.#timers.values()) timer.unsubscribe();
  }

  #isHeld(id: number): boolean {
    return (this.#holders.get(id)?.size ?? 0) > 0;
  }

  #startTimer(id: number): void {
    this.#stopTimer(id);
    const { duration, scheduler, isPageHidden } = this.#config;
    // A notification that comes while the page is hidden keeps its time until it can be seen.
    if (this.#isHeld(id) || isPageHidden()) return;
    const timer = scheduler.schedule(() => this.dismiss(id), duration);
    this.#timers.set(id, timer);
  }

  #stopTimer(id: number): void {
    this.#timers.get(id)?.unsubscribe();
    this.#timers.delete(id);
  }
}
