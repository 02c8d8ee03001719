import { DOCUMENT } from '@angular/common';
import { DestroyRef, inject, type Signal } from '@angular/core';
import { aFunction, checkOptions, milliseconds, plainObject, type Options } from '../../../error/index.js';
import type { LiveEvent, NoOwnEvents, Notification } from '../../../protocol/index.js';
import { pageEvents } from '../../../stream/index.js';
import { injectFollow, injectHandle } from '../inject-follow.js';
import { injectFollowedFeed } from '../live-feed.js';
import { CLIENT_APP } from '../lobby.js';
import type { PauseConfig } from '../pausable.js';
import { ShownNotifications, type ShownNotification } from './shown-notifications.js';

/** The notifications to show, and the actions of a player. */
export interface Notifications<Own extends object = NoOwnEvents> {
  /**
   * The notifications that are shown, at most four, the oldest first. Another one replaces the
   * oldest that the player does not touch.
   */
  readonly shown: Signal<readonly ShownNotification<Own>[]>;
  /**
   * Keeps a notification while the player touches it: while the pointer is over it, or it has the
   * focus. `by` says which, if both may be so at once.
   */
  hold(id: number, by?: 'pointer' | 'focus'): void;
  /** The player no longer touches it. When nothing holds it, it disappears after its time. */
  release(id: number, by?: 'pointer' | 'focus'): void;
  /** Opens a notification by your handler, or its `url`, and dismisses it. */
  open(id: number): void;
  dismiss(id: number): void;
}

/** The options of {@link injectNotifications}. */
export interface NotificationsConfig<Own extends object = NoOwnEvents> extends PauseConfig {
  /**
   * How long a notification is shown in a page that is not hidden, unless the player touches it, in
   * ms. Default 6,000.
   */
  readonly duration?: number;
  /**
   * Opens a notification in your UI, by the kind of its event on the wire: `chat_message`, for
   * example. Called inside the zone. Its errors go to Angular's
   * `ErrorHandler`. Without such a function, its `url` is opened in a new tab.
   */
  readonly open?: Readonly<Record<string, (event: LiveEvent<Own>) => void>>;
}

const OPTIONS: Options<NotificationsConfig> = {
  duration: milliseconds,
  isPaused: aFunction,
  open: {
    name: 'an object with a function for each kind of event',
    is: u => plainObject.is(u) && Object.values(u).every(value => typeof value === 'function'),
  },
};

/**
 * Injects the notifications of the client's feed, to be shown as toasts (docs/the-service.md, 2.8).
 * Each is shown at once, in order, for a few seconds. That time does not pass while the page is
 * hidden, or while the player touches the toast. On a server there are no notifications.
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
  checkOptions<object>(config, OPTIONS);
  const { zone, scheduler } = inject(CLIENT_APP);
  const document = inject(DOCUMENT) as DocumentLike;
  const handle = injectHandle();
  const { duration = 6_000, open: openers = {} } = config;
  const shown = new ShownNotifications<Own>({
    duration,
    scheduler,
    isPageHidden: () => document.visibilityState === 'hidden',
  });
  const openerOf = (event: LiveEvent<Own>) => {
    // An unknown event has its kind on the wire as its name.
    const { kind, name } = event as { readonly kind: string; readonly name?: string };
    const kindOnWire = name ?? kind;
    return Object.hasOwn(openers, kindOnWire) ? openers[kindOnWire] : undefined;
  };
  const open = (id: number) => {
    const opened = shown.find(id);
    if (!opened?.canOpen) return;
    shown.dismiss(id);
    const opener = openerOf(opened.event);
    if (opener) handle('open', () => opener(opened.event));
    else document.defaultView?.open(opened.notification.url, '_blank', 'noopener,noreferrer');
  };

  const follow = injectFollow();
  follow(zone.outside(pageEvents('visibilitychange')), () => shown.restartTimers());
  follow(injectFollowedFeed<Own>(config).event$, event => {
    // The compiler cannot narrow a union while its kinds are still generic.
    const { notification } = event as { readonly notification?: Notification };
    if (!notification) return;
    const canOpen = openerOf(event) !== undefined || isWebUrl(notification.url);
    shown.show({ notification, event, canOpen });
  });
  inject(DestroyRef).onDestroy(() => shown.stopTimers());
  return {
    shown: shown.shown,
    hold: (id, by) => shown.hold(id, by),
    release: (id, by) => shown.release(id, by),
    open,
    dismiss: id => shown.dismiss(id),
  };
}

/** The part of a document that is used. */
interface DocumentLike {
  readonly visibilityState?: string;
  readonly defaultView: { open(url: string, target: string, features: string): unknown } | null;
}

/** The part of the platform's class that is used. */
declare const URL: new (url: string) => { readonly protocol: string };

/**
 * Whether a link leads to a page. A service that has been taken over must not run scripts in the
 * application.
 */
function isWebUrl(url: string): boolean {
  try {
    return ['http:', 'https:'].includes(new URL(url).protocol);
  } catch {
    return false;
  }
}
