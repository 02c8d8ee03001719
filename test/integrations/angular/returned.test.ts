import '@angular/compiler';
import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { TestBed } from '@angular/core/testing';
import { NEVER } from 'rxjs';
import {
  injectFeed,
  injectLobbyClient,
  injectLobbyConnection,
  injectNotifications,
  injectRoster,
  provideLobbyClient,
  withOneFeedForAllTabs,
} from 'lobby-rx/angular';
import { UNBEGUN, WRAPPED } from '../../law/returned.js';
import { fakeSockets } from '../../player/fake-gate.js';
import { angularApp } from './angular-app.js';

type Returned = () => unknown;

describe('what a callback of an Angular application returns', () => {
  afterEach(() => void TestBed.resetTestingModule());
  const later = () => new Promise<void>(resolve => setImmediate(resolve));
  const down = () => later().then(() => Promise.reject(new Error('disk full')));
  const settled = async () => {
    for (let turn = 0; turn < 5; turn++) await later();
  };

  /** Calls a handler once, and returns the errors of the application. */
  const handlers: Readonly<Record<string, (returned: Returned) => readonly unknown[]>> = {
    'the handler of a feed': returned => {
      const { component, pass, emulator, identity_id, errors } = angularApp();
      component(() => injectFeed().on('identity_update', returned));
      pass(2_000);
      emulator.updateProfile(identity_id, { bio: 'new' });
      pass(2_000);
      return errors;
    },
    'the handler of a lobby connection': returned => {
      const { component, pass, errors } = angularApp();
      const { opened, WebSocket } = fakeSockets();
      const entrance = { url: 'wss://one.example/play', token: 'one' };
      component(() => injectLobbyConnection(() => entrance, { WebSocket, wake$: NEVER }).on(returned));
      TestBed.tick();
      pass(0);
      opened[0]!.admit('return.1', 30_000).say('hello');
      return errors;
    },
    'what opens a notification': returned => {
      const { component, pass, emulator, identity_id, errors } = angularApp();
      const { value } = component(() => injectNotifications({ open: { chat_message: returned } }));
      pass(3_000);
      const notification = { title: 'a', description: '', thumbnail_url: '', url: '' };
      emulator.publish(identity_id, { chat_message: { text: 'a' } }, notification);
      pass(500);
      value.open(value.shown()[0]!.id);
      return errors;
    },
  };

  for (const [handler, call] of Object.entries(handlers)) {
    it(`is waited for by ${handler}, and its errors go to the ErrorHandler`, async () => {
      for (const [what, wrap] of Object.entries(WRAPPED)) {
        let isDone = false;
        const work = async () => {
          await later();
          isDone = true;
        };
        const errors = call(() => wrap(work));
        await settled();
        deepStrictEqual([isDone, errors], [true, []], what);
        TestBed.resetTestingModule();
        const failed = call(() => wrap(down));
        await settled();
        deepStrictEqual(failed.map(String), ['Error: disk full'], what);
        TestBed.resetTestingModule();
      }
      for (const [what, wrap] of Object.entries(UNBEGUN)) {
        const errors = call(() => wrap(later));
        await settled();
        // What a handler itself has subscribed to is under way.
        strictEqual(errors.length, what === 'a subscription' ? 0 : 1, what);
        TestBed.resetTestingModule();
      }
    });
  }

  /** Lets a callback decide, and returns what is said about it. */
  const deciding: Readonly<Record<string, (returned: Returned) => unknown>> = {
    config: returned => {
      const { component } = angularApp({ providers: [provideLobbyClient(returned as never)] });
      return errorOf(() => component(() => injectLobbyClient()));
    },
    name: returned => {
      const { component } = angularApp({ features: [withOneFeedForAllTabs(returned as never)] });
      return errorOf(() => component(() => injectLobbyClient()));
    },
    group_id: returned => {
      const { component } = angularApp();
      return component(() => injectRoster(returned as never)).value.error();
    },
    'config of a roster': returned => {
      const { component, group_id } = angularApp();
      const group = () => group_id;
      return component(() => injectRoster(group, returned as never)).value.error();
    },
    isPaused: returned => {
      const { component, errors } = angularApp();
      const failed = errorOf(() => component(() => injectFeed({ isPaused: returned as never })));
      return failed ?? errorOf(() => TestBed.tick()) ?? errors[0];
    },
    entrance: returned => {
      const { component, errors } = angularApp();
      const { WebSocket } = fakeSockets();
      component(() => injectLobbyConnection(returned as never, { WebSocket, wake$: NEVER }));
      return errorOf(() => TestBed.tick()) ?? errors[0];
    },
  };

  for (const [callback, decide] of Object.entries(deciding)) {
    it(`is refused by ${callback} if it has to be waited for`, async () => {
      for (const [what, wrap] of Object.entries({ ...WRAPPED, ...UNBEGUN })) {
        if (callback === 'entrance' && /^a\w* (frozen )?array/.test(what)) continue;
        const said = String(decide(() => wrap(down)));
        ok(said.includes(`InputError: ${callback.split(' ')[0]} must be a function`), `${what}: ${said}`);
        TestBed.resetTestingModule();
      }
      await settled();
    });
  }
});

function errorOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
