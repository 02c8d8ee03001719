import { DOCUMENT } from '@angular/common';
import { assertInInjectionContext, inject, signal, DestroyRef, type Signal } from '@angular/core';
import type { Subscription } from 'rxjs';
import { checkOptions, milliseconds, plainObject, type Options } from '../../error/index.js';
import type { LiveEvent, NoOwnEvents, Notification } from '../../protocol/index.js';
import { pageEvents } from '../../stream/index.js';
import { injectFollow } from './inject-follow.js';
import { injectFollowedFeed } from './live-feed.js';
import { CLIENT_APP } from './lobby.js';
import { isWebUrl } from './urls.js';

/** A notification that is shown. */
export interface ShownNotification<Own extends object = NoOwnEvents> {
  /** Different for each: what to track it by in a template. */
  readonly id: number;
  readonly notification: Notification;
  /** The event that it belongs to. */
  readonly event: LiveEvent<Own>;
  /**
   * Whether `open` leads anywhere: to a handler of yours, or to its `url`, which has to be one of
   * http: or https:.
   */
  readonly canOpen: boolean;
}

/** Notifications as they are to be shown, and what a player can do with them. */
export interface Notifications<Own extends object = NoOwnEvents> {
  /** Those that are shown, four at most, the oldest first: it makes room for a new one. */
  readonly shown: Signal<readonly ShownNotification<Own>[]>;
  /**
   * Keeps one as long as the player touches it: the pointer is over it, or it has the focus. `by`
   * tells these apart if there may be several at once.
   */
  hold(id: number, by?: 'pointer' | 'focus'): void;
  /** Lets go of it: when nothing holds it, it disappears after its time. */
  release(id: number, by?: 'pointer' | 'focus'): void;
  /** Opens its context, and dismisses it. */
  open(id: number): void;
  dismiss(id: number): void;
}

/** The options of {@link injectNotifications}. */
export interface NotificationsConfig<Own extends object = NoOwnEvents> {
  /**
   * How long one is shown in a page that can be seen, unless the player touches it, in ms. Default
   * 6,000.
   */
  readonly duration?: number;
  /**
   * Opens a notification in your own UI, by the kind of its event on the wire: `chat_message`, for
   * example. Called inside the zone.
   * Without one, its `url` is opened in a new tab.
   */
  readonly open?: Readonly<Record<string, (event: LiveEvent<Own>) => void>>;
}

/** How many are shown at once. */
const MAX_SHOWN = 4;

const OPTIONS: Options<NotificationsConfig> = {
  duration: milliseconds,
  open: {
    name: 'an object with a function for each kind of event',
    is: u => plainObject.is(u) && Object.values(u).every(value => typeof value === 'function'),
  },
};

/**
 * Injects the notifications of the client's feed, to be shown as toasts (docs/the-service.md, 2.8):
 * each at once, in order, and gone after a few seconds of a page that is not hidden, unless the
 * player touches it. On a server there are none.
 *
 * Throws an `InputError` if the config is invalid, and outside of an injection context.
 *
 * @example
 * readonly notifications = injectNotifications({
 *   open: { chat_message: event => this.openChat(event) },
 * });
 */
export function injectNotifications<Own extends object = NoOwnEvents>(
  config: NotificationsConfig<Own> = {},
): Notifications<Own> {
  assertInInjectionContext(injectNotifications);
  checkOptions<object>(config, OPTIONS);
  const { duration = 6_000, open: openers = {} } = config;
  const { zone, scheduler } = inject(CLIENT_APP);
  const document = inject(DOCUMENT) as DocumentLike;
  const timers = new Map<number, Subscription>();
  const holders = new Map<number, Set<string>>();
  const shown = signal<readonly ShownNotification<Own>[]>([]);
  let lastId = 0;

  const openerOf = (event: LiveEvent<Own>) => {
    const { kind, name = kind } = event as { readonly kind: string; readonly name?: string };
    return Object.hasOwn(openers, name) ? openers[name] : undefined;
  };
  const stopTimer = (id: number) => {
    timers.get(id)?.unsubscribe();
    timers.delete(id);
  };
  const isHeld = (id: number) => (holders.get(id)?.size ?? 0) > 0;
  const startTimer = (id: number) => {
    stopTimer(id);
    // What comes while the page is hidden keeps its time until it can be seen.
    if (isHeld(id) || document.visibilityState === 'hidden') return;
    timers.set(
      id,
      scheduler.schedule(() => dismiss(id), duration),
    );
  };
  const dismiss = (id: number) => {
    stopTimer(id);
    holders.delete(id);
    shown.update(before => before.filter(one => one.id !== id));
  };
  const isShown = (id: number) => shown().some(one => one.id === id);
  const hold: Notifications['hold'] = (id, by = 'pointer') => {
    if (!isShown(id)) return;
    stopTimer(id);
    holders.set(id, new Set([...(holders.get(id) ?? []), by]));
  };
  const release: Notifications['release'] = (id, by = 'pointer') => {
    holders.get(id)?.delete(by);
    if (isShown(id)) startTimer(id);
  };
  const show = (notification: Notification, event: LiveEvent<Own>) => {
    const id = ++lastId;
    const canOpen = openerOf(event) !== undefined || isWebUrl(notification.url);
    shown.update(before => [...before, { id, notification, event, canOpen }]);
    startTimer(id);
    if (shown().length <= MAX_SHOWN) return;
    const others = shown().slice(0, -1);
    // One that the player touches stays, if it can.
    const leaving = others.find(one => !isHeld(one.id)) ?? others[0];
    if (leaving) dismiss(leaving.id);
  };
  const open = (id: number) => {
    const one = shown().find(candidate => candidate.id === id);
    if (!one?.canOpen) return;
    dismiss(id);
    const opener = openerOf(one.event);
    if (opener) zone.inside(() => opener(one.event));
    else document.defaultView?.open(one.notification.url, '_blank', 'noopener,noreferrer');
  };

  const follow = injectFollow();
  follow(zone.outside(pageEvents('visibilitychange')), () => {
    for (const { id } of shown()) startTimer(id);
  });
  follow(injectFollowedFeed<Own>().event$, event => {
    // The compiler cannot narrow a union while its kinds are still generic.
    const { notification } = event as { readonly notification?: Notification };
    if (notification) show(notification, event);
  });
  inject(DestroyRef).onDestroy(() => {
    for (const timer of timers.values()) timer.unsubscribe();
  });
  return { shown: shown.asReadonly(), hold, release, open, dismiss };
}

/** The part of a document that is used. */
interface DocumentLike {
  readonly visibilityState?: string;
  readonly defaultView: { open(url: string, target: string, features: string): unknown } | null;
}
