import '@angular/compiler';
import { deepStrictEqual, strictEqual, throws } from 'node:assert';
import { TestBed } from '@angular/core/testing';
import { isInputError } from 'lobby-rx';
import { injectNotifications, type NotificationsConfig } from 'lobby-rx/angular';
import { fakePage } from '../../../fake-page.js';
import { angularApp } from '../angular-app.js';

describe('injectNotifications', () => {
  afterEach(() => void TestBed.resetTestingModule());

  function toasts(config?: NotificationsConfig) {
    const { component, emulator, identity_id, pass, ...more } = angularApp();
    const { value: notifications, destroy } = component(() => injectNotifications(config));
    pass(3_000);
    return {
      ...more,
      notifications,
      destroy,
      pass,
      notify: (title: string, url = 'https://hub.example/chat') => {
        const notification = { title, description: '', thumbnail_url: '', url };
        emulator.publish(identity_id, { chat_message: { text: title } }, notification);
        pass(500);
      },
      titles: () => notifications.shown().map(({ notification }) => notification.title),
      idOf: (title: string) =>
        notifications.shown().find(({ notification }) => notification.title === title)!.id,
    };
  }

  it('shows each at once, in order, for a few seconds', () => {
    const { notify, titles, pass } = toasts();
    notify('a');
    deepStrictEqual(titles(), ['a']);
    pass(3_000);
    notify('b');
    deepStrictEqual(titles(), ['a', 'b']);
    pass(2_600);
    deepStrictEqual(titles(), ['b']);
    pass(6_000);
    deepStrictEqual(titles(), []);
  });

  it('keeps what a player touches, and drops it its whole time after they let go', () => {
    const { notify, titles, pass, notifications, idOf } = toasts({ duration: 1_000 });
    notify('a');
    const id = idOf('a');
    notifications.hold(id);
    pass(60_000);
    deepStrictEqual(titles(), ['a']);
    notifications.release(id);
    pass(900);
    deepStrictEqual(titles(), ['a']);
    pass(200);
    deepStrictEqual(titles(), []);
    // It has no timer of its own any more.
    notifications.release(id);
    pass(2_000);
    notify('b');
    notifications.dismiss(idOf('b'));
    deepStrictEqual(titles(), []);
  });

  it('keeps those that come, or are there, while the page is hidden, their whole time from when it can be seen', () => {
    const page = fakePage();
    try {
      const { notify, titles, pass, notifications, idOf, destroy } = toasts();
      notify('a');
      pass(3_000);
      page.show(false);
      notify('b');
      pass(600_000);
      deepStrictEqual(titles(), ['a', 'b']);
      notifications.hold(idOf('b'));
      page.show(true);
      pass(5_900);
      deepStrictEqual(titles(), ['a', 'b']);
      pass(200);
      deepStrictEqual(titles(), ['b']);
      notifications.release(idOf('b'));
      pass(6_000);
      deepStrictEqual(titles(), []);
      destroy();
      page.show(false);
    } finally {
      page.remove();
    }
  });

  it('shows four at most: the oldest that is not held makes room', () => {
    const { notify, titles, notifications, idOf } = toasts({ duration: 100_000 });
    for (const title of ['a', 'b', 'c', 'd', 'e']) notify(title);
    deepStrictEqual(titles(), ['b', 'c', 'd', 'e']);
    notifications.hold(idOf('b'));
    notify('f');
    deepStrictEqual(titles(), ['b', 'd', 'e', 'f']);
    for (const title of ['d', 'e', 'f']) notifications.hold(idOf(title));
    // A new one is always shown.
    notify('g');
    deepStrictEqual(titles(), ['d', 'e', 'f', 'g']);
  });

  it('opens the url of one without an opener, and only if it is one of the web', () => {
    const { notify, notifications, idOf, opened, titles } = toasts();
    notify('good');
    for (const url of ['javascript:alert(1)', 'data:text/html,x', 'relative', ''])
      notify(url || 'empty', url);
    deepStrictEqual(
      notifications.shown().map(({ canOpen }) => canOpen),
      [false, false, false, false],
    );
    notifications.open(idOf('relative'));
    deepStrictEqual([opened, titles().length], [[], 4]);
    notify('good');
    notifications.open(idOf('good'));
    deepStrictEqual(opened, [['https://hub.example/chat', '_blank', 'noopener,noreferrer']]);
    strictEqual(titles().includes('good'), false);
  });

  it('opens in the own UI by the kind of the event, inside the zone', () => {
    const calls: unknown[] = [];
    const { notify, notifications, idOf, opened, zone } = toasts({
      open: {
        chat_message: event =>
          calls.push([event.kind, event.kind === 'unknown' && event.name, zone.isInside]),
      },
    });
    notify('a', 'javascript:alert(1)');
    strictEqual(notifications.shown()[0]?.canOpen, true);
    zone.runOutsideAngular(() => notifications.open(idOf('a')));
    deepStrictEqual([calls, opened], [[['unknown', 'chat_message', true]], []]);
    notifications.open(999);
    strictEqual(calls.length, 1);
  });

  it('ends with its component, timers too', () => {
    const { notify, titles, destroy, scheduler, notifications } = toasts();
    notify('a');
    destroy();
    notify('b');
    scheduler.maxFrames = scheduler.now() + 10_000;
    scheduler.flush();
    deepStrictEqual([titles(), notifications.shown().length], [['a'], 1]);
  });

  it('refuses an invalid config', () => {
    for (const config of [{ duration: -1 }, { open: { chat_message: 'x' } }, { max: 3 }]) {
      const { component } = angularApp();
      throws(() => component(() => injectNotifications(config as object)), isInputError);
      TestBed.resetTestingModule();
    }
  });

  it('opens nothing for a kind that only looks like an opener', () => {
    const { emulator, identity_id, component, pass } = angularApp();
    const notifications = component(() => injectNotifications({ open: {} })).value;
    const { shown } = notifications;
    pass(3_000);
    const kinds = ['toString', 'constructor', '__proto__', 'hasOwnProperty'];
    for (const kind of kinds) {
      const notification = { title: kind, description: '', thumbnail_url: '', url: 'javascript:alert(1)' };
      emulator.publish(identity_id, JSON.parse(`{"${kind}":{}}`) as object, notification);
    }
    pass(1_000);
    deepStrictEqual(
      shown().map(({ notification, canOpen }) => [notification.title, canOpen]),
      kinds.map(kind => [kind, false]),
    );
    for (const { id } of shown()) notifications.open(id);
    strictEqual(shown().length, kinds.length);
  });

  it('is held as long as the pointer or the focus is there', () => {
    const { notify, titles, pass, notifications, idOf } = toasts({ duration: 1_000 });
    notify('a');
    const id = idOf('a');
    notifications.hold(id, 'focus');
    notifications.hold(id, 'pointer');
    notifications.hold(id, 'pointer');
    notifications.release(id, 'pointer');
    pass(60_000);
    deepStrictEqual(titles(), ['a']);
    notifications.release(id, 'focus');
    pass(1_100);
    deepStrictEqual(titles(), []);
  });
});
