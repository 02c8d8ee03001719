import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { firstValueFrom } from 'rxjs';
import { createClient, isInputError, isStatusError, isUnauthorizedError } from 'lobby-rx';
import {
  createControl,
  createEmulator,
  seedWorld,
  type Control,
  type Emulator,
  type SeededWorld,
} from 'lobby-rx/emulator';

describe('The control of an emulator', () => {
  let emulator: Emulator;
  let world: SeededWorld;
  let control: Control;
  beforeEach(() => {
    emulator = createEmulator();
    const ports = { default: { hostname: '127.0.0.1', port: 8080, is_tls: false } };
    world = seedWorld(emulator, { members: 3, ports });
    control = createControl(emulator, world);
  });

  const client = (token = world.identityToken) =>
    createClient({ url: emulator.url, transport: emulator.transport, token });
  const members = async (token?: string) => {
    const { members } = await firstValueFrom(client(token).group.getMembers({ group_id: world.groupId }));
    return members.map(({ identity }) => identity);
  };
  /** The events that an identity gets because of this. */
  const eventsAfter = async (act: () => unknown, token?: string) => {
    const { events } = client(token);
    const { watch } = await firstValueFrom(events.watch());
    act();
    return (await firstValueFrom(events.watch({ watch_index: watch.index }))).events;
  };
  const refusal = (act: () => unknown): string => {
    try {
      act();
    } catch (error) {
      ok(isInputError(error), String(error));
      return error.message;
    }
    throw new Error('not refused');
  };

  it('issues players, and lobby joins that lead to the lobby', async () => {
    const { player_token } = control.type('player') as Record<string, unknown>;
    strictEqual(emulator.playerState(player_token as string), 'reserved');
    const [event] = await eventsAfter(() => control.type('lobby'));
    ok(event?.kind === 'matchmaker_lobby_join');
    strictEqual(emulator.playerState(event.player.token), 'reserved');
    deepStrictEqual(event.ports.default, { hostname: '127.0.0.1', port: 8080, is_tls: false });
    const { reserved, connected } = control.run('state') as Record<string, unknown>;
    deepStrictEqual([reserved, connected], [3, 0]);
  });

  it('lets members join and leave, each with a token of their own', async () => {
    const { identity_id, token } = control.type('join "Grace Hopper"') as Record<string, string>;
    control.type('join');
    deepStrictEqual(
      (await members(token)).slice(3).map(({ display_name }) => display_name),
      ['Grace Hopper', 'Guest 2'],
    );
    const [event] = await eventsAfter(() => control.type('lobby "Grace Hopper"'), token);
    strictEqual(event?.kind, 'matchmaker_lobby_join');
    control.type('leave');
    control.type(`leave ${identity_id}`);
    strictEqual((await members()).length, 3);
    match(
      refusal(() => control.type('join "Grace Hopper"')),
      /^name must be a new one/,
    );
  });

  it('sends presence, messages and any other event', async () => {
    const [presence] = await eventsAfter(() => control.type('presence away'));
    strictEqual(presence?.kind === 'identity_update' && presence.identity.presence?.status, 'away');
    const [message] = await eventsAfter(() => control.type('message "x3 \\"a=b\\" always"'));
    ok(message?.kind === 'unknown');
    deepStrictEqual([message.name, message.notification?.description], ['chat_message', 'x3 "a=b" always']);
    const [event] = await eventsAfter(() => control.type(`event party_update '{"n": [1]}'`));
    ok(event?.kind === 'unknown');
    deepStrictEqual([event.name, event.payload], ['party_update', { n: [1] }]);
    const [same] = await eventsAfter(() =>
      control.run('event', { kind: 'party_update', payload: { n: [1] } }),
    );
    ok(same?.kind === 'unknown');
    deepStrictEqual(same.payload, event.payload);
    const [text] = await eventsAfter(() => control.type('event party_update [over'));
    deepStrictEqual(text?.kind === 'unknown' && text.payload, '[over');
  });

  it('plans faults, and ends them', async () => {
    const status = () =>
      members().then(
        () => 200,
        (error: unknown) => (isStatusError(error) ? error.status : error),
      );
    control.type('fault html 502 x2 only=/members');
    deepStrictEqual([await status(), await status(), await status()], [502, 502, 200]);
    control.run('fault', { kind: 'rate_limited', wait: 5_000, form: 'date', times: 1 });
    strictEqual(await status(), 429);
    control.type('fault empty always');
    deepStrictEqual([await status(), await status()], [500, 500]);
    control.type('fault off');
    strictEqual(await status(), 200);
    deepStrictEqual(control.run('state').faults, { html: 2, rate_limited: 1, empty: 2 });
  });

  it('gives a fault every field that its kind has', () => {
    for (const [line, planned] of [
      ['fault html status=504 after=5000', { kind: 'html', status: 504, after: 5_000, times: 1 }],
      [
        'fault rate_limited form=metadata wait=7',
        { kind: 'rate_limited', form: 'metadata', wait: 7, times: 1 },
      ],
      ['fault oversized bytes=9', { kind: 'oversized', bytes: 9, times: 1 }],
      ['fault index_skewed ms=-3', { kind: 'index_skewed', ms: -3, times: 1 }],
    ] as const) {
      control.type(line);
      deepStrictEqual(control.run('state').planned, [planned]);
      control.type('fault off');
    }
    control.run('fault', { kind: 'error', status: 503, after: 10 });
    deepStrictEqual(emulator.plannedFaults(), [
      { fault: { kind: 'error', status: 503, after: 10 }, left: 1 },
    ]);
  });

  it('shows the faults still to come', async () => {
    control.type('fault html 502 x2');
    control.type('fault hot always');
    await members().catch(() => undefined);
    const { faults, planned } = control.run('state');
    deepStrictEqual(faults, { html: 1 });
    deepStrictEqual(planned, [
      { kind: 'html', status: 502, times: 1 },
      { kind: 'hot', times: 'always' },
    ]);
  });

  it('lets the token expire, and renews it', async () => {
    control.type('token expire');
    const error: unknown = await members().catch((e: unknown) => e);
    ok(isUnauthorizedError(error) && error.cause?.code === 'CLAIMS_ENTITLEMENT_EXPIRED');
    const { token } = control.type('token renew') as Record<string, string>;
    strictEqual((await members(token)).length, 3);
    // So can that of someone who has joined.
    const grace = control.type('join Grace') as Record<string, string>;
    control.type('token expire Grace');
    ok(isUnauthorizedError(await members(grace.token).catch((e: unknown) => e)));
    const renewed = control.type('token renew Grace') as Record<string, string>;
    strictEqual((await members(renewed.token)).length, 4);
    match(
      refusal(() => control.type(`token expire ${world.friendIds[0]}`)),
      /^who must be .* has joined here/,
    );
  });

  it('renames', async () => {
    control.type('profile "Ada King"');
    const named = (await members()).map(({ display_name }) => display_name);
    ok(named.includes('Ada King'));
  });

  it('refuses an event that is nested too deeply to be sent, and stores nothing of it', async () => {
    const depth = 200_000;
    const payload: unknown = JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
    match(
      refusal(() => control.run('event', { kind: 'deep', payload })),
      /^payload must be JSON that is not nested thousands of levels deep/,
    );
    const events = await eventsAfter(() => control.type('event shallow'));
    deepStrictEqual(
      events.map(({ kind }) => kind),
      ['unknown'],
    );
  });

  it('refuses what it does not know, and says what to change', () => {
    const { length } = emulator.requests;
    for (const [line, message] of [
      ['jion', /^command must be one of player, lobby, .*, help; got something else$/],
      ['', /^command must be one of player, lobby, /],
      ['toString', /^command must be one of player, /],
      ['token', /^command must be one of .*token expire/],
      ['presence', /^status must be given: presence STATUS \[WHO\]; got nothing$/],
      ['presence away nobody', /^who must be an id, or the name of someone who has joined .*; got /],
      ['message Hello there', /^who must be .* \(quote what contains spaces\); got /],
      ['message Are you there?', /\(quote what contains spaces\); got more words$/],
      [
        'presence away a b',
        /^presence must be typed as presence STATUS \[WHO\] \(quote what contains spaces\); got more words$/,
      ],
      ['leave', /^who must be given, since no player has joined; got nothing$/],
      ['fault', /^kind must be given: fault KIND \[STATUS\] \[OPTION=…\]; got nothing$/],
      ['fault htlm', /^fault.kind must be one of .*html/],
      ['fault html 999', /^fault.status must be a status from 200 to 599/],
      ['fault html wait=1', /^unknown option `fault.wait`\. Options: kind, status/],
      [
        'fault html times=x',
        /^times must be a whole number of at least 1, or always; got a string of 1 character$/,
      ],
      ['fault html x0', /^times must be a whole number of at least 1, or always; got 0$/],
      ['fault html status=502 503 504', /^fault must be typed as .*; got more words$/],
      ['fault html only=', /^only must be a non-empty string; got an empty string$/],
      ['fault oversized bytes=5000000000', /^fault.bytes must be a whole number from 1 to 268435456; got /],
    ] as const) {
      match(
        refusal(() => control.type(line)),
        message,
      );
    }
    match(
      refusal(() => control.run('presence', { state: 'away' })),
      /^unknown option `presence.state`\. Options: status, who/,
    );
    match(
      refusal(() => control.run('presence', { status: 7 })),
      /^status must be a non-empty string; got 7$/,
    );
    match(
      refusal(() => control.run('fault', { kind: 'html', only: 5 })),
      /^only must be a non-empty string; got 5$/,
    );
    strictEqual(emulator.requests.length, length);
  });

  it('explains every command in a line of at most 80 columns', () => {
    const { message } = control.type('help');
    strictEqual(message, control.help);
    deepStrictEqual(
      control.commands.find(({ name }) => name === 'message'),
      { name: 'message', usage: 'message TEXT [WHO]', summary: 'a chat message, with a notification' },
    );
    const lines = message.split('\n');
    deepStrictEqual(
      lines.filter(line => line.length > 80),
      [],
    );
    for (const name of ['player', 'lobby', 'join', 'leave', 'presence', 'message', 'fault', 'token expire'])
      ok(
        lines.some(line => line.startsWith(name)),
        name,
      );
  });
});
