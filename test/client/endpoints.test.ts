import { deepStrictEqual, ok, rejects, strictEqual, throws } from 'node:assert';
import * as t from 'io-ts';
import { firstValueFrom, lastValueFrom, of, take } from 'rxjs';
import {
  createClient,
  endpoint,
  eventFeed,
  eventsWatch,
  getMembers,
  isInputError,
  playersConnected,
  struct,
  type ClientConfig,
  type TransportRequest,
  type WatchSharing,
} from 'lobby-rx';
import { identityEventList } from 'lobby-rx/codecs';
import { createEmulator, listen } from 'lobby-rx/emulator';

const ChatMessage = struct('ChatMessage', { text: t.string });

/** A client of a service that always gives the same answer, and the requests that it sent. */
function clientOf(text: string, config: Partial<ClientConfig> = {}) {
  const sent: TransportRequest[] = [];
  const client = createClient({
    url: 'https://service.example',
    token: 't',
    transport: request => {
      sent.push(request);
      return of({ status: 200, headers: { get: () => null }, text });
    },
    ...config,
  });
  return { client, sent };
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('the URLs of a client', () => {
  it('are the same for all three services, unless one has its own', async () => {
    const { client, sent } = clientOf('{}', { matchmakerUrl: 'https://m.example/match' });
    await lastValueFrom(client.matchmaker.players.disconnected({ player_token: 'p' }));
    await failureOf(lastValueFrom(client.group.getMembers({ group_id: 'g' })));
    await failureOf(lastValueFrom(client.events.watch()));
    deepStrictEqual(
      sent.map(({ url }) => url),
      [
        'https://m.example/match/v1/players/disconnected',
        'https://service.example/v1/groups/g/members',
        'https://service.example/identity/events/live',
      ],
    );
  });

  it('may be missing if they are not used; a request that needs a missing one names it', async () => {
    const client = createClient({ apiUrl: 'https://a.example', token: 't' });
    const error = await failureOf(lastValueFrom(client.group.getMembers({ group_id: 'g' })));
    ok(isInputError(error));
    strictEqual(
      error.message,
      'groupUrl must be given to createClient, or url for all services; got nothing',
    );
  });

  it('are the same for the emulator, too', async () => {
    const emulator = createEmulator();
    const { identity_id, token } = emulator.addIdentity();
    const group_id = emulator.addGroup();
    emulator.join(group_id, identity_id);
    const server = await listen(emulator);
    const client = createClient({ url: server.url, token });
    const { members } = await lastValueFrom(client.group.getMembers({ group_id }));
    strictEqual(members[0]?.identity.identity_id, identity_id);
    await server.close();
  });
});

describe('custom endpoints', () => {
  it('replace the built-in ones everywhere: in pages, roster, players', async () => {
    const page = '{"members":[],"watch":{"index":"1"}}';
    const { client, sent } = clientOf(page, {
      endpoints: {
        getMembers: { ...getMembers, path: '/group/groups/{group_id}/members' },
        playersConnected: { ...playersConnected, path: '/matchmaker/players/connected' },
      },
    });
    await lastValueFrom(client.group.memberPages('g'));
    await firstValueFrom(client.group.roster('g'));
    // A page of members is no OK.
    await rejects(lastValueFrom(client.matchmaker.players.connected({ player_token: 'p' })));
    deepStrictEqual(
      sent.map(({ url }) => url.replace('https://service.example', '')),
      ['/group/groups/g/members', '/group/groups/g/members?count=1000', '/matchmaker/players/connected'],
    );
  });
});

describe('an endpoint of your own', () => {
  it('has distinct names in its path, query and body: its input is flat', () => {
    const bad = [
      { path: '/games/{id}', query: struct('Q', { id: t.string }) },
      { path: '/games/{id}', body: struct('B', {}, { id: t.string }) },
      { path: '/games', query: struct('Q', { id: t.string }), body: struct('B', {}, { id: t.string }) },
      { path: '/games/{id}/{id}' },
    ] as const;
    for (const parts of bad)
      throws(
        () => endpoint({ method: 'POST', service: 'api', response: t.unknown, ...parts }),
        /^InputError: endpoint must be one with distinct names in path, query and body; got id twice/,
      );
  });

  it('has a response that is a codec of io-ts, not a schema of another library', () => {
    const response = { decode: () => ({ success: true }) } as never;
    throws(
      () => endpoint({ method: 'GET', service: 'api', path: '/games', response }),
      /^InputError: response must be a codec created by struct\(\) or io-ts; got an object/,
    );
  });
});

describe('a replaced endpoint', () => {
  const refused = (endpoints: object, message: RegExp) =>
    throws(() => clientOf('{}', { endpoints: endpoints }), message);

  it('takes what the built-in one takes, so that everything that uses it works', () => {
    refused(
      { eventsWatch: { ...eventsWatch, query: undefined } },
      /^InputError: endpoints\.eventsWatch\.query must be with watch_index, as in the endpoint that it replaces/,
    );
    refused(
      { getMembers: { ...getMembers, query: struct('Q', {}, { anchor: t.string, watch_index: t.string }) } },
      /^InputError: endpoints\.getMembers\.query must be with anchor, count, watch_index/,
    );
    refused(
      { getMembers: { ...getMembers, path: '/groups/{id}/members' } },
      /^InputError: endpoints\.getMembers\.path must be with group_id/,
    );
  });

  it('keeps the player token in the body, where no URL, error or log shows it', () => {
    refused(
      { playersConnected: { ...playersConnected, path: '/p/{player_token}' } },
      /^InputError: endpoints\.playersConnected\.path must be with no parameters/,
    );
    const query = struct('Q', { player_token: t.string });
    for (const body of [undefined, playersConnected.body]) {
      refused(
        { playersConnected: { ...playersConnected, query, body } },
        /^InputError: endpoints\.playersConnected\.body must be with player_token/,
      );
    }
  });
});

describe('options that are inherited', () => {
  it('count as given', async () => {
    const base = { url: 'https://base.example', apiUrl: 'https://api.example', token: 't' };
    const urls: string[] = [];
    const derived = Object.create({
      ...base,
      transport: ({ url }: TransportRequest) => (
        urls.push(url),
        of({ status: 200, headers: { get: () => null }, text: '{}' })
      ),
    }) as ClientConfig;
    await failureOf(lastValueFrom(createClient(derived).events.watch()));
    deepStrictEqual(urls, ['https://api.example/identity/events/live']);
  });
});

describe('custom event kinds', () => {
  const batch = JSON.stringify({
    events: [
      { ts: '1', kind: { chat_message: { text: 'Hi' } } },
      { ts: '2', kind: { chat_message: { text: 7 } } },
      { ts: '3', kind: { party_update: {} } },
    ],
    watch: { index: '1' },
  });

  it('are typed members of the union; those that do not decode are malformed, and undeclared ones unknown', async () => {
    const { client } = clientOf(batch, { kinds: { chat_message: ChatMessage } });
    const { events } = await lastValueFrom(client.events.watch());
    deepStrictEqual(events, [
      { kind: 'chat_message', ts: '1', payload: { text: 'Hi' } },
      {
        kind: 'malformed',
        raw: { ts: '2', kind: { chat_message: { text: 7 } } },
        errors: [{ path: 'events[1].kind.chat_message.text', expected: 'string', got: 'a number' }],
      },
      { kind: 'unknown', name: 'party_update', ts: '3', payload: {} },
    ]);
  });

  it('are malformed, by the name of their codec, if its `decode` returns neither of the answers of io-ts', async () => {
    const foreign = Object.assign(Object.create(ChatMessage) as typeof ChatMessage, {
      decode: () => ({ success: true, data: { text: 'Hi' } }),
    });
    const { client } = clientOf(batch, { kinds: { chat_message: foreign } });
    const { events } = await lastValueFrom(client.events.watch());
    const [first] = events;
    ok(first?.kind === 'malformed');
    const path = 'events[0].kind.chat_message';
    deepStrictEqual(first.errors, [{ path, expected: ChatMessage.name, got: 'an object' }]);

    const request = endpoint({ method: 'GET', service: 'api', path: '/chat', response: foreign });
    await rejects(lastValueFrom(client.request(request, {})), {
      name: 'DecodeError',
      message: new RegExp(ChatMessage.name),
    });
  });

  it('pass through the feed: `on` narrows to them, and their notifications are emitted', async () => {
    const emulator = createEmulator();
    const { identity_id, token } = emulator.addIdentity();
    const { events } = createClient({
      url: emulator.url,
      transport: emulator.transport,
      token,
      kinds: { chat_message: ChatMessage },
    });
    const note = { title: 'Ada', description: 'Hi', thumbnail_url: '', url: '' };
    const texts = firstValueFrom(events.feed.on('chat_message').pipe(take(1)));
    const shown = firstValueFrom(events.feed.notification$);
    await firstValueFrom(events.watch());
    emulator.publish(identity_id, { chat_message: { text: 'Hi' } }, note);
    strictEqual((await texts).payload.text, 'Hi');
    strictEqual((await shown).event.kind, 'chat_message');
  });

  it('are the only ones besides those of every client that a feed takes', () => {
    const { client } = clientOf(batch, { kinds: { chat_message: ChatMessage } });
    const share: WatchSharing = watch => watch({});
    for (const feed of [client.events.feed, client.events.createFeed({ share })]) {
      for (const kind of ['chat_message', 'identity_update', 'malformed']) ok(feed.on(kind as 'malformed'));
      for (const kind of ['typo', '', undefined, 'toString'])
        throws(
          () => feed.on(kind as 'unknown'),
          /^InputError: kind must be one of identity_update, matchmaker_lobby_join, unknown, malformed, chat_message; got /,
        );
    }
    // Of signals of the caller's own, nobody knows the kinds.
    ok(eventFeed([]).on('anything' as 'unknown'));
  });

  it('may have a codec that transforms them; one that throws does not affect other events', () => {
    const Upper = new t.Type<string, unknown>(
      'Upper',
      t.string.is,
      (u, c) => (t.string.is(u) ? t.success(u.toUpperCase()) : t.failure(u, c)),
      text => text.toLowerCase(),
    );
    const Broken = new t.Type<string, unknown>(
      'Broken',
      t.string.is,
      () => {
        throw new Error('out of order');
      },
      t.identity,
    );
    const list = identityEventList({ shout: Upper, bad: Broken });
    const wire = {
      events: [
        { kind: { shout: 'hi' }, ts: '1' },
        { kind: { bad: 'x' }, ts: '2' },
      ],
      watch: { index: '1' },
    };
    const decoded = list.decode(wire);
    ok(decoded._tag === 'Right');
    deepStrictEqual(decoded.right.events[0], { kind: 'shout', ts: '1', payload: 'HI' });
    strictEqual(decoded.right.events[1]?.kind, 'malformed');
    deepStrictEqual(list.encode(decoded.right), wire);
  });

  it('are declared by the list codec of a replaced endpoint, or by `kinds`, but not by both', async () => {
    const own = endpoint({
      method: 'GET',
      service: 'api',
      path: '/live',
      query: eventsWatch.query,
      response: identityEventList({ party_update: struct('PartyUpdate', {}) }),
    });
    const endpoints = { eventsWatch: own as never };
    const { client, sent } = clientOf(batch, { endpoints });
    const { events } = await lastValueFrom(client.events.watch());
    deepStrictEqual(
      events.map(({ kind }) => kind as string),
      ['unknown', 'unknown', 'party_update'],
    );
    strictEqual(sent[0]?.url, 'https://service.example/live');
    throws(
      () => clientOf(batch, { endpoints, kinds: { chat_message: ChatMessage } }),
      /^InputError: kinds must be left out if endpoints\.eventsWatch has a response: declare them there/,
    );
  });
});
