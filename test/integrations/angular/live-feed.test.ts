import '@angular/compiler';
import { deepStrictEqual, strictEqual, throws } from 'node:assert';
import { TestBed } from '@angular/core/testing';
import { EMPTY } from 'rxjs';
import {
  injectFeed,
  injectLobbyClient,
  injectNotifications,
  withOneFeedForAllTabs,
  type LiveFeed,
} from 'lobby-rx/angular';
import type { TabSharing } from 'lobby-rx/browser';
import { FEED_SHARING } from '../../../src/integrations/angular/lobby.js';
import { angularApp } from './angular-app.js';

describe('injectFeed', () => {
  afterEach(() => void TestBed.resetTestingModule());

  it('has the status, the last profiles and the last gap as signals, and polls once for all', () => {
    const { component, pass, emulator, identity_id, openPolls } = angularApp();
    const [one, other] = [component(() => injectFeed()), component(() => injectFeed())];
    pass(5_000);
    deepStrictEqual([one.value.status().state, one.value.gap(), openPolls()], ['live', undefined, 1]);
    emulator.updateProfile(identity_id, { bio: 'new' });
    pass(1_000);
    for (const { profiles } of [one.value, other.value])
      deepStrictEqual([profiles().size, profiles().get(identity_id)?.bio], [1, 'new']);
    emulator.fault({ kind: 'error', status: 404 });
    emulator.updateProfile(identity_id, { bio: 'newer' });
    pass(5_000);
    emulator.updateProfile(identity_id, { bio: 'newest' });
    pass(5_000);
    strictEqual(one.value.gap()?.reason, 'index_rejected');
    one.destroy();
    pass(5_000);
    strictEqual(openPolls(), 1);
    other.destroy();
    pass(5_000);
    strictEqual(openPolls(), 0);
  });

  it('calls handlers inside the zone until they or their component end; what they throw goes to the ErrorHandler', () => {
    const { component, pass, emulator, identity_id, zone, errors } = angularApp();
    const calls: string[] = [];
    let first: { unsubscribe: () => void } | undefined;
    const { destroy } = component(() => {
      const feed = injectFeed();
      first = feed.on('matchmaker_lobby_join', () => calls.push(`first ${zone.isInside}`));
      feed.on('matchmaker_lobby_join', join => {
        calls.push(`second ${join.lobby.lobby_id === lobby_id}`);
        throw new Error('mine');
      });
    });
    const { lobby_id } = emulator.addLobby();
    const join = () => {
      zone.runOutsideAngular(() => {
        pass(2_000);
        emulator.sendLobbyJoin(identity_id, lobby_id);
        pass(2_000);
      });
    };
    join();
    deepStrictEqual(calls, ['first true', 'second true']);
    deepStrictEqual(String(errors), 'Error: mine');
    first?.unsubscribe();
    join();
    strictEqual(calls.join(), 'first true,second true,second true');
    destroy();
    join();
    strictEqual(calls.length, 3);
  });

  it('polls soon when it is reloaded while it is retrying', () => {
    const { component, pass, emulator } = angularApp({ config: { testing: { random: () => 0.99 } } });
    const feed = component(() => injectFeed()).value;
    const mend = emulator.fault({ kind: 'html', status: 503 }, { times: 1_000 });
    pass(300_000);
    strictEqual(feed.status().state, 'retrying');
    const { length } = emulator.requests;
    mend();
    feed.reload();
    pass(1_100);
    strictEqual(emulator.requests.length, length + 2);
    strictEqual(feed.status().state, 'live');
  });

  it('says that it is closed, and why, and throws nothing', () => {
    const { component, pass, emulator } = angularApp();
    emulator.fault({ kind: 'error', status: 403 }, { times: 3 });
    const feed = component(() => injectFeed()).value;
    pass(5_000);
    const { state, error } = feed.status();
    deepStrictEqual([state, (error as { status?: number }).status], ['closed', 403]);
  });

  it('keeps the thousand profiles that changed last', () => {
    const { component, pass, emulator, identity_id } = angularApp();
    const friends = Array.from({ length: 1_005 }, () => emulator.addIdentity().identity_id);
    for (const friend of friends) emulator.befriend(identity_id, friend);
    const feed = component(() => injectFeed()).value;
    pass(2_000);
    const change = (id: string) => emulator.updateProfile(id, { bio: 'new' });
    friends.slice(0, 1_000).forEach(change);
    change(friends[0]!);
    friends.slice(1_000).forEach(change);
    pass(5_000);
    const kept = feed.profiles();
    deepStrictEqual(
      [kept.size, kept.has(friends[0]!), kept.has(friends[1]!), kept.has(friends[5]!), kept.has(friends[6]!)],
      [1_000, true, false, false, true],
    );
  });

  it('does not poll on a server', () => {
    const { component, pass, emulator } = angularApp({
      platform: 'server',
      features: [withOneFeedForAllTabs(() => 'unused')],
    });
    const feed = component((): LiveFeed => injectFeed()).value;
    feed.on('identity_update', () => undefined);
    pass(50_000);
    deepStrictEqual([emulator.requests.length, feed.status().state, feed.leads()], [0, 'idle', true]);
  });

  it("shares the client's own feed with other tabs, under a name that is asked for once", () => {
    let names = 0;
    const name = () => {
      names++;
      return `events ${names}`;
    };
    const { component, pass, emulator, identity_id, openPolls } = angularApp({
      features: [withOneFeedForAllTabs(name)],
    });
    const seen: string[] = [];
    const lobby = component(() => injectLobbyClient()).value;
    const feed = component(() => injectFeed()).value;
    lobby.events.feed.identityUpdate$.subscribe(({ identity }) => seen.push(identity.bio));
    strictEqual(feed.leads(), true);
    pass(2_000);
    emulator.updateProfile(identity_id, { bio: 'new' });
    pass(2_000);
    deepStrictEqual([seen, feed.profiles().size, openPolls(), names], [['new'], 1, 1, 1]);
  });

  it('gives what was held while nobody was there to everything that a component sets up', () => {
    const { component, pass, emulator, identity_id } = angularApp();
    const seen: string[] = [];
    const visit = (name: string) =>
      component(() => {
        const feed = injectFeed();
        feed.on('matchmaker_lobby_join', () => seen.push(`${name} join`));
        feed.on('matchmaker_lobby_join', () => seen.push(`${name} again`));
        const { shown } = injectNotifications();
        return () => `${seen.join()} ${shown().length}`;
      });
    const first = visit('first');
    pass(5_000);
    first.destroy();
    const { lobby_id } = emulator.addLobby();
    emulator.sendLobbyJoin(identity_id, lobby_id);
    emulator.publish(
      identity_id,
      { chat_message: {} },
      { title: '', description: '', thumbnail_url: '', url: '' },
    );
    pass(500);
    const second = visit('second');
    pass(5_000);
    strictEqual(second.value(), 'second join,second again 1');
  });

  it('can be reloaded when it is closed, which everything that follows it hears of', () => {
    const { component, pass, emulator, identity_id } = angularApp();
    emulator.fault({ kind: 'error', status: 403 }, { times: 1 });
    let joins = 0;
    const feed = component(() => {
      const injected = injectFeed();
      injected.on('matchmaker_lobby_join', () => joins++);
      return injected;
    }).value;
    pass(5_000);
    strictEqual(feed.status().state, 'closed');
    feed.reload();
    pass(5_000);
    const { lobby_id } = emulator.addLobby();
    emulator.sendLobbyJoin(identity_id, lobby_id);
    pass(5_000);
    deepStrictEqual([feed.status().state, joins], ['live', 1]);
  });

  it('stays closed for those that come later, and goes on for all when one of them reloads it', () => {
    const { component, pass, emulator, identity_id } = angularApp();
    emulator.fault({ kind: 'error', status: 403 }, { times: 1 });
    const older = component(() => injectFeed()).value;
    pass(5_000);
    const { length } = emulator.requests;
    const newer = component(() => injectFeed()).value;
    pass(5_000);
    deepStrictEqual([newer.status().state, emulator.requests.length], ['closed', length]);
    newer.reload();
    pass(5_000);
    emulator.updateProfile(identity_id, { bio: 'new' });
    pass(5_000);
    for (const { status, profiles } of [older, newer])
      deepStrictEqual([status().state, profiles().size], ['live', 1]);
  });

  it('shows a gap and a lobby join until one of the components has dealt with it', () => {
    const { component, pass, emulator, identity_id } = angularApp();
    const [one, other] = [component(() => injectFeed()).value, component(() => injectFeed()).value];
    pass(5_000);
    const { lobby_id } = emulator.addLobby();
    emulator.fault({ kind: 'error', status: 404 });
    emulator.sendLobbyJoin(identity_id, lobby_id);
    pass(5_000);
    emulator.sendLobbyJoin(identity_id, lobby_id);
    pass(5_000);
    const shown = ({ gap, lobbyJoin }: LiveFeed) => [gap()?.reason, lobbyJoin()?.lobby.lobby_id];
    const late = component(() => injectFeed()).value;
    for (const feed of [one, other, late]) deepStrictEqual(shown(feed), ['index_rejected', lobby_id]);
    one.dismiss(one.gap()!);
    late.dismiss(late.lobbyJoin()!);
    for (const feed of [one, other, late]) deepStrictEqual(shown(feed), [undefined, undefined]);
    throws(() => one.dismiss({} as never), /handled/);
  });

  it('has the error of a feed that cannot even begin', () => {
    const broken = (() => {
      throw new Error('in use');
    }) as unknown as TabSharing;
    const feature = {
      providers: [{ provide: FEED_SHARING, useValue: Object.assign(broken, { leads$: EMPTY }) }],
    };
    const { component, pass } = angularApp({ features: [feature] });
    const feed = component(() => injectFeed()).value;
    pass(1_000);
    deepStrictEqual([feed.status().state, String(feed.status().error)], ['closed', 'Error: in use']);
  });

  it('starts nothing for a handler of a component that is gone', () => {
    const { component, pass, emulator } = angularApp();
    const { value: feed, destroy } = component(() => injectFeed());
    destroy();
    feed.on('unknown', () => undefined);
    feed.reload();
    pass(5_000);
    strictEqual(emulator.requests.length, 0);
  });

  it('leaves the rest of what was held to the next one, if a component is destroyed by a part of it', () => {
    const { component, pass, emulator, identity_id } = angularApp();
    const seen: string[] = [];
    const visit = (onJoin: () => void) =>
      component(() => injectFeed().on('matchmaker_lobby_join', () => onJoin()));
    const first = visit(() => undefined);
    pass(5_000);
    first.destroy();
    const { lobby_id } = emulator.addLobby();
    for (let i = 0; i < 3; i++) emulator.sendLobbyJoin(identity_id, lobby_id);
    pass(500);
    const second = visit(() => {
      seen.push('second');
      second.destroy();
    });
    pass(100);
    visit(() => seen.push('third'));
    pass(5_000);
    deepStrictEqual(seen, ['second', 'third', 'third']);
  });
});
