import '@angular/compiler';
import { deepStrictEqual, strictEqual, throws } from 'node:assert';
import { signal, TransferState } from '@angular/core';
import { TestBed } from '@angular/core/testing';
import {
  injectFeed,
  injectLobbyClient,
  injectNotifications,
  injectPageHidden,
  injectRoster,
} from 'lobby-rx/angular';
import { fakePage } from '../../fake-page.js';
import { turns } from '../../turns.js';
import { angularApp, createWorld } from './angular-app.js';

describe('what is paused in an Angular application', () => {
  afterEach(() => void TestBed.resetTestingModule());

  it('keeps the members of a group, needs no poll, and continues without losing them from sight', () => {
    const { component, pass, emulator, identity_id, group_id, openPolls } = angularApp();
    const isPaused = signal(false);
    const { value: roster, destroy } = component(() =>
      injectRoster(
        () => group_id,
        () => ({ isPaused }),
      ),
    );
    pass(5_000);
    deepStrictEqual([roster.status().state, roster.value()?.size, openPolls()], ['live', 1, 1]);
    isPaused.set(true);
    pass(0);
    strictEqual(roster.status().state, 'idle');
    pass(1_000);
    const other = emulator.addIdentity().identity_id;
    emulator.join(group_id, other);
    pass(60_000);
    deepStrictEqual([roster.status().state, roster.value()?.size, openPolls()], ['idle', 1, 0]);
    isPaused.set(false);
    const seen = new Set<string>();
    for (let i = 0; i < 20; i++) {
      pass(100);
      seen.add(`${roster.value()?.size} ${roster.isLoading()}`);
    }
    deepStrictEqual([...seen], ['2 false']);
    deepStrictEqual([...roster.value()!.keys()], [identity_id, other]);
    deepStrictEqual([roster.status().state, openPolls()], ['live', 1]);
    isPaused.set(true);
    pass(500);
    destroy();
    isPaused.set(false);
    pass(1_000);
    strictEqual(openPolls(), 0);
  });

  it('is connecting, with the members of before, while a slow service has yet to answer', () => {
    const { component, pass, emulator, group_id } = angularApp();
    const isPaused = signal(false);
    const roster = component(() =>
      injectRoster(
        () => group_id,
        () => ({ isPaused }),
      ),
    ).value;
    pass(5_000);
    isPaused.set(true);
    pass(5_000);
    emulator.fault({ kind: 'stall_before_headers' });
    isPaused.set(false);
    pass(1_000);
    deepStrictEqual([roster.status().state, roster.value()?.size], ['connecting', 1]);
  });

  it('is a feed that polls while anything needs it, and has the events of the pause afterwards', () => {
    const { component, pass, emulator, identity_id, openPolls } = angularApp();
    const isPaused = signal(true);
    const joins: string[] = [];
    const feed = component(() => {
      const injected = injectFeed({ isPaused });
      injected.on('matchmaker_lobby_join', join => joins.push(join.lobby.lobby_id));
      return injected;
    }).value;
    const toasts = component(() => injectNotifications({ isPaused })).value;
    pass(5_000);
    deepStrictEqual([openPolls(), toasts.shown()], [0, []]);
    isPaused.set(false);
    pass(5_000);
    deepStrictEqual([feed.status().state, openPolls()], ['live', 1]);
    const { lobby_id } = emulator.addLobby();
    isPaused.set(true);
    pass(2_000);
    deepStrictEqual([feed.status().state, openPolls()], ['idle', 0]);
    emulator.sendLobbyJoin(identity_id, lobby_id);
    pass(5_000);
    deepStrictEqual(joins, []);
    isPaused.set(false);
    pass(2_000);
    deepStrictEqual([joins, feed.status().state, feed.gap()], [[lobby_id], 'live', undefined]);
    throws(() => component(() => injectFeed({ isPaused: true as never })), /isPaused/);
  });

  it('may be a hidden page', () => {
    const page = fakePage();
    try {
      const { component, pass, group_id, openPolls } = angularApp();
      const { value: isHidden, destroy } = component(() => {
        const hidden = injectPageHidden();
        injectRoster(
          () => group_id,
          () => ({ isPaused: hidden }),
        );
        return hidden;
      });
      pass(5_000);
      deepStrictEqual([isHidden(), openPolls()], [false, 1]);
      page.show(false);
      pass(1_000);
      deepStrictEqual([isHidden(), openPolls()], [true, 0]);
      page.show(true);
      pass(1_000);
      deepStrictEqual([isHidden(), openPolls()], [false, 1]);
      destroy();
      pass(1_000);
      deepStrictEqual(page.listeners, []);
    } finally {
      page.remove();
    }
  });

  it('shows nobody after its client is closed, not even those whom a server has handed over', async () => {
    const world = createWorld();
    const { group_id } = world;
    const server = angularApp({ platform: 'server', world });
    server.component(() => injectRoster(() => group_id));
    server.pass(0);
    await turns(1);
    const transferState = TestBed.inject(TransferState).toJson();
    TestBed.resetTestingModule();

    const { component, pass } = angularApp({ world, transferState });
    const isPaused = signal(false);
    const [roster, client] = component(
      () =>
        [
          injectRoster(
            () => group_id,
            () => ({ isPaused }),
          ),
          injectLobbyClient(),
        ] as const,
    ).value;
    pass(5_000);
    isPaused.set(true);
    pass(500);
    isPaused.set(false);
    pass(5_000);
    strictEqual(roster.value()?.size, 1);
    client.close();
    pass(0);
    deepStrictEqual([roster.status().state, roster.value()], ['closed', undefined]);
  });
});
