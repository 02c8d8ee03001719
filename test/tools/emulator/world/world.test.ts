import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert';
import { isInputError } from 'lobby-rx';
import { createEmulator, seedWorld } from 'lobby-rx/emulator';
import { virtualTime } from '../../../virtual-time.js';
import { send, bearer, createFixture, indexOf } from '../fixture.js';

const EVENTS = '/api/identity/events/live';

describe('the emulated world', () => {
  it('sends updates to friends', () => {
    const { emulator, me, pass } = createFixture();
    const friend = emulator.addIdentity({ display_name: 'Grace' });
    emulator.befriend(me.identity_id, friend.identity_id);
    const index = indexOf(send(emulator, { url: EVENTS, ...bearer(me.token) }).answer);
    const watch = send(emulator, { url: `${EVENTS}?watch_index=${index}`, ...bearer(me.token) });
    emulator.updateProfile(friend.identity_id, { bio: 'x' });
    pass(100);
    match(watch.answer?.body ?? '', /"display_name":"Grace".*"is_mutual_following":true/);
  });

  it('is the same for the same seed', () => {
    const worlds = [7, 7, 8].map(seed => seedWorld(createEmulator({ seed }), { seed, members: 5 }));
    deepStrictEqual(worlds[0], worlds[1]);
    ok(worlds[0]?.identityToken !== worlds[2]?.identityToken);
  });

  it('can be read as it is, and says when it changed last', () => {
    const { emulator, me, group_id, pass } = createFixture();
    const { records } = emulator;
    const before = records.tick;
    pass(50);
    strictEqual(records.tick, before);
    const grace = emulator.addIdentity({ display_name: 'Grace' });
    emulator.join(group_id, grace.identity_id);
    ok(records.tick > before);
    strictEqual(records.identities.get(grace.identity_id)?.profile.display_name, 'Grace');
    deepStrictEqual([...records.groups.get(group_id)!.members.keys()].slice(-2), [
      me.identity_id,
      grace.identity_id,
    ]);
    emulator.expireToken(grace.token);
    strictEqual(records.bearers.get(grace.token)?.expired, true);
  });

  it('rejects commands with ids and tokens that it has not issued', () => {
    const { emulator, me, group_id } = createFixture();
    for (const act of [
      () => emulator.join('x', me.identity_id),
      () => emulator.join(group_id, 'x'),
      () => emulator.befriend(me.identity_id, 'x'),
      () => emulator.publish('x', {}),
      () => emulator.reservePlayer('x'),
      () => emulator.sendLobbyJoin('x', emulator.addLobby().lobby_id),
      () => emulator.expireToken('x'),
    ]) {
      throws(act, isInputError);
    }
  });

  it('forgets players that have expired or were removed once it has 10,000, and no others', () => {
    const { scheduler, pass } = virtualTime();
    const first = createEmulator({ scheduler });
    const { lobby_id } = first.addLobby({ maxPlayers: 20_000 });
    const firstStates = ['connected', 'removed'] as const;
    const players = Array.from({ length: 9_998 }, (_, n) => {
      const state = firstStates[n] ?? 'reserved';
      return [`player-${n}`, { lobby_id, reservedAt: scheduler.now(), state }] as const;
    });
    pass(600_000);
    const emulator = createEmulator({ scheduler, saved: { ...first.save(), players } });
    const fresh = emulator.reservePlayer(lobby_id);
    emulator.reservePlayer(lobby_id);
    const states = () =>
      [fresh, 'player-0', 'player-1', 'player-2'].map(token => emulator.playerState(token));
    deepStrictEqual(states(), ['reserved', 'connected', 'removed', 'expired']);
    emulator.reservePlayer(lobby_id);
    deepStrictEqual(states(), ['reserved', 'connected', undefined, undefined]);
  });

  describe('after being saved', () => {
    it('continues in another emulator as if nothing had happened', () => {
      const { scheduler } = virtualTime();
      const first = createEmulator({ scheduler });
      const world = seedWorld(first, { members: 20 });
      const { answer } = send(first, { url: EVENTS, ...bearer(world.identityToken) });
      const index = indexOf(answer);
      first.updatePresence(world.friendIds[0]!, { status: 'online' });
      first.sendLobbyJoin(world.identityId, world.lobbyId);

      const saved = first.save();
      deepStrictEqual(JSON.parse(JSON.stringify(saved)), saved);
      const second = createEmulator({ scheduler, saved });
      const both = [first, second].map(emulator => [
        send(emulator, { url: `${EVENTS}?watch_index=${index}`, ...bearer(world.identityToken) }).answer
          ?.body,
        emulator.playersIn(world.lobbyId),
        emulator.playerState(world.playerToken),
      ]);
      deepStrictEqual(both[1], both[0]);
      match(JSON.stringify(both[0]), /identity_update.*matchmaker_lobby_join/);
      second.leave(world.groupId, world.identityId);
      strictEqual(first.save().groups[0]?.[1].members.length, 20);
    });

    it('refuses what is broken anywhere in it', () => {
      const first = createEmulator();
      seedWorld(first, { members: 2 });
      const saved = first.save();
      for (const name of ['identities', 'groups', 'lobbies', 'players', 'bearers'] as const) {
        const [[id]] = saved[name] as unknown as [[string]];
        for (const broken of [null, {}, [], [id], [id, null], [id, {}], [1, {}]])
          throws(
            () => createEmulator({ saved: { ...saved, [name]: [broken] } }),
            /^InputError: saved must be/,
          );
      }
    });

    it('does not reuse ids and tokens of the saved world', () => {
      const first = createEmulator();
      const before = seedWorld(first, { members: 5 });
      const second = createEmulator({ saved: first.save() });
      const after = seedWorld(second, { members: 5 });
      const values = [before, after].flatMap(world => [
        world.groupId,
        world.identityId,
        world.identityToken,
        world.lobbyId,
        world.lobbyToken,
        world.playerToken,
        ...world.friendIds,
      ]);
      strictEqual(new Set(values).size, values.length);
    });
  });
});
