import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert';
import type { Observable } from 'rxjs';
import type { WatchStatus } from 'lobby-rx';
import { feedState, rosterState, type FeedState } from 'lobby-rx/views';
import { heard, viewsWorld } from './views-world.js';

const textOf = ({ gap, lobbyJoin, status }: FeedState) =>
  [status.state, gap?.reason, lobbyJoin?.lobby.lobby_id.slice(0, 4)].filter(Boolean).join(' ');

function feedWorld() {
  const world = viewsWorld();
  const { emulator, identity_id, pass, client } = world;
  /** A lobby join comes. Returns how a state says so. */
  const join = () => {
    const { lobby_id } = emulator.addLobby();
    emulator.sendLobbyJoin(identity_id, lobby_id);
    pass(1_000);
    return lobby_id.slice(0, 4);
  };
  /** The feed has no subscriber for so long that events may have been missed. */
  const miss = () => {
    const until = client.events.feed.all$.subscribe();
    pass(1_000);
    until.unsubscribe();
    pass(400_000);
  };
  return { ...world, join, miss };
}

describe('the lobby join in the state of a feed', () => {
  it('is too old to be joined 120 s after it came, and a newer one is not', () => {
    const { client, scheduler, pass, join } = feedWorld();
    const state = feedState(client);
    const { lines, leave } = heard(state, ({ lobbyJoin, isLobbyJoinExpired }) =>
      lobbyJoin ? `${lobbyJoin.lobby.lobby_id.slice(0, 4)} ${isLobbyJoinExpired ? 'expired' : 'open'}` : '',
    );
    pass(1_000);
    const first = join();
    const { lobbyJoin, lobbyJoinExpiresAt } = state.value;
    const left = lobbyJoinExpiresAt! - scheduler.now();
    ok(left > 118_000 && left <= 120_000, `${left}`);
    pass(left - 1);
    strictEqual(lines.at(-1), `${first} open`);
    pass(1_000);
    strictEqual(lines.at(-1), `${first} expired`);
    // It is the same object, which dismiss compares.
    strictEqual(state.value.lobbyJoin, lobbyJoin);
    const second = join();
    strictEqual(lines.at(-1), `${second} open`);
    pass(121_000);
    strictEqual(lines.at(-1), `${second} expired`);
    state.dismiss(state.value.lobbyJoin!);
    deepStrictEqual(Object.keys(state.value), ['status']);
    leave();
  });

  it('is too old within a second after the machine has slept', () => {
    const { client, scheduler, pass, join } = feedWorld();
    const state = feedState(client);
    const { leave } = heard(state, textOf);
    pass(1_000);
    join();
    const { now } = scheduler;
    // The clocks have gone on, and timers have not.
    scheduler.now = () => now.call(scheduler) + 600_000;
    pass(1_000);
    strictEqual(state.value.isLobbyJoinExpired, true);
    leave();
  });

  it('is looked at when a component comes', () => {
    const { client, pass, join } = feedWorld();
    const state = feedState(client);
    const until = state.subscribe();
    pass(1_000);
    join();
    until.unsubscribe();
    pass(150_000);
    const seen: unknown[] = [];
    state.subscribe(({ isLobbyJoinExpired }) => seen.push(isLobbyJoinExpired)).unsubscribe();
    deepStrictEqual(seen, [true]);
  });
});

describe('the state of a feed', () => {
  it('polls while it has subscribers, for all of them and the feed’s own once, a tick after the first', () => {
    const { client, emulator, openPolls, pass } = feedWorld();
    const state = feedState(client);
    const { lines, leave } = heard(state, textOf);
    strictEqual(emulator.requests.length, 0);
    const other = heard(state, textOf);
    client.events.feed.lobbyJoin$.subscribe().unsubscribe();
    pass(3_000);
    deepStrictEqual([lines.at(-1), other.lines.at(-1), openPolls()], ['live', 'live', 1]);
    leave();
    other.leave();
    pass(1_000);
    deepStrictEqual([textOf(state.value), openPolls()], ['idle', 0]);
  });

  it('and those of three groups, in six components, are four requests, and no change while nothing happens', () => {
    const { client, emulator, identity_id, openPolls, pass } = feedWorld();
    const groups = Array.from({ length: 3 }, () => emulator.addGroup());
    for (const group of groups) emulator.join(group, identity_id);
    let changes = 0;
    const component = (group: string) => {
      const states = [rosterState(client, group), feedState(client)] as const;
      return states.map(state => (state as Observable<object>).subscribe(() => changes++));
    };
    const shown = [...groups, ...groups].flatMap(component);
    pass(3_000);
    strictEqual(openPolls(), 4);
    const before = changes;
    pass(200_000);
    strictEqual(changes, before);
    emulator.join(groups[0]!, emulator.addIdentity().identity_id);
    pass(1_000);
    // Each of the two that show it, once.
    strictEqual(changes, before + 2);
    for (const subscription of shown) subscription.unsubscribe();
    pass(1_000);
    strictEqual(openPolls(), 0);
  });

  it('leaves what was held to the handlers of the same tick', () => {
    const { client, pass, join } = feedWorld();
    const first = client.events.feed.all$.subscribe();
    pass(1_000);
    first.unsubscribe();
    join();
    const state = feedState(client);
    heard(state, textOf);
    const handled: string[] = [];
    client.events.feed.lobbyJoin$.subscribe(({ kind }) => handled.push(kind));
    pass(1_000);
    strictEqual(handled.length, 1);
    ok(state.value.lobbyJoin);
  });

  it('has what came from when it was made, before its subscribers get it', () => {
    const { client, join, pass } = feedWorld();
    const state = feedState(client);
    const before: unknown[] = [];
    client.events.feed.lobbyJoin$.subscribe(event => before.push(event === state.value.lobbyJoin));
    pass(1_000);
    const lobby = join();
    deepStrictEqual([before, textOf(state.value)], [[true], `live ${lobby}`]);
    const newer = join();
    strictEqual(textOf(state.value), `live ${newer}`);
  });

  it('keeps a gap and a lobby join until they are dismissed, even while it is idle', () => {
    const { client, join, miss, pass } = feedWorld();
    const state = feedState(client);
    miss();
    const { leave } = heard(state, textOf);
    pass(1_000);
    const lobby = join();
    strictEqual(textOf(state.value), `live silence ${lobby}`);
    leave();
    pass(2_000);
    strictEqual(textOf(state.value), `idle silence ${lobby}`);
    const { gap, lobbyJoin } = state.value;
    state.dismiss(gap!);
    const shown = state.value;
    state.dismiss(gap!);
    strictEqual(state.value, shown);
    strictEqual(textOf(shown), `idle ${lobby}`);
    heard(state, textOf);
    pass(1_000);
    const newer = join();
    // Another one has come meanwhile: that has not been dealt with.
    state.dismiss(lobbyJoin!);
    strictEqual(textOf(state.value), `live ${newer}`);
    state.dismiss(state.value.lobbyJoin!);
    strictEqual(textOf(state.value), 'live');
    strictEqual('lobbyJoin' in state.value, false);
  });

  it('refuses to dismiss what the feed never emitted', () => {
    const { client, join, pass } = feedWorld();
    const state = feedState(client);
    heard(state, textOf);
    pass(1_000);
    join();
    const { lobbyJoin } = state.value;
    throws(() => state.dismiss({ ...lobbyJoin! }), /handled.*not a copy/);
    throws(() => state.dismiss(new Proxy(lobbyJoin!, {})), /handled/);
    throws(() => state.dismiss(undefined as never), /handled/);
    ok(state.value.lobbyJoin);
  });

  it('tells all its subscribers the newest last if one of them dismisses what it is told', () => {
    const { client, join, pass } = feedWorld();
    const state = feedState(client);
    state.subscribe(({ lobbyJoin }) => lobbyJoin && state.dismiss(lobbyJoin));
    const { lines } = heard(state, textOf);
    pass(3_000);
    const before = lines.length;
    join();
    deepStrictEqual(lines.slice(before), ['live']);
  });

  it('is `closed` with an error once the feed has ended, which begins nothing, until it is reloaded', () => {
    const { client, emulator, openPolls, pass, refuse } = feedWorld();
    const state = feedState(client);
    const statuses: WatchStatus[] = [];
    const first = state.subscribe(({ status }) => statuses.push(status));
    pass(3_000);
    const allow = refuse();
    pass(70_000);
    ok(statuses.at(-1)!.state === 'closed' && statuses.at(-1)!.error);
    const requests = emulator.requests.length;
    first.unsubscribe();
    const { lines } = heard(state, textOf);
    pass(10_000);
    deepStrictEqual([lines, emulator.requests.length], [['closed'], requests]);
    allow();
    state.reload();
    state.reload();
    pass(5_000);
    deepStrictEqual([lines.at(-1), openPolls()], ['live', 1]);
  });

  it('can be reloaded by the subscriber that hears that it is closed', () => {
    const { client, openPolls, pass, refuse } = feedWorld();
    const state = feedState(client);
    const allow = refuse();
    let reloads = 0;
    state.subscribe(({ status }) => {
      if (status.state !== 'closed') return;
      reloads++;
      if (reloads === 3) allow();
      state.reload();
    });
    pass(20_000);
    deepStrictEqual([reloads, textOf(state.value), openPolls()], [3, 'live', 1]);
  });

  it('begins again for the next subscriber if it is reloaded while nothing shows it', () => {
    const { client, openPolls, pass, refuse } = feedWorld();
    const state = feedState(client);
    const { leave } = heard(state, textOf);
    pass(3_000);
    const allow = refuse();
    pass(70_000);
    leave();
    allow();
    state.reload();
    deepStrictEqual([textOf(state.value), openPolls()], ['idle', 0]);
    heard(state, textOf);
    pass(5_000);
    deepStrictEqual([textOf(state.value), openPolls()], ['live', 1]);
  });

  it('goes on with a feed that somebody else has begun again', () => {
    const { client, openPolls, pass, refuse } = feedWorld();
    const state = feedState(client);
    heard(state, textOf);
    pass(3_000);
    const allow = refuse();
    pass(70_000);
    strictEqual(textOf(state.value), 'closed');
    allow();
    const other = client.events.feed.all$.subscribe();
    pass(3_000);
    other.unsubscribe();
    pass(3_000);
    deepStrictEqual([textOf(state.value), openPolls()], ['live', 1]);
  });

  it('completes when the client is closed, with nothing of what it knew, even if it is idle', () => {
    for (const isWatched of [true, false]) {
      const { client, join, pass, openPolls } = feedWorld();
      const state = feedState(client);
      const { lines, leave } = heard(state, textOf);
      pass(1_000);
      join();
      if (!isWatched) leave();
      pass(3_000);
      client.close();
      if (isWatched) deepStrictEqual(lines.slice(-2), ['closed', 'complete']);
      deepStrictEqual([textOf(state.value), state.value.status.error], ['closed', undefined]);
      deepStrictEqual(heard(state, textOf).lines, ['closed', 'complete']);
      deepStrictEqual(heard(feedState(client, client.events.createFeed()), textOf).lines, [
        'closed',
        'complete',
      ]);
      strictEqual(openPolls(), 0);
    }
  });

  it('is one for each feed of a client', () => {
    const { client } = feedWorld();
    const feed = client.events.createFeed();
    strictEqual(feedState(client), feedState(client, client.events.feed));
    strictEqual(feedState(client, feed), feedState(client, feed));
    ok(feedState(client, feed) !== feedState(client));
    throws(() => feedState(client, null as never), /feed/);
    throws(() => feedState(undefined as never), /client/);
  });
});
