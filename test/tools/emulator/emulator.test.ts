import { deepStrictEqual, rejects, strictEqual } from 'node:assert';
import { lastValueFrom, map, of, take, toArray } from 'rxjs';
import {
  createClient,
  getMembers,
  isStatusError,
  isUnauthorizedError,
  isTransportError,
  type Client,
} from 'lobby-rx';
import { createEmulator, listen, type Emulator } from 'lobby-rx/emulator';
import { send, bearer, createFixture, indexOf } from './fixture.js';

describe('an emulator', () => {
  it('records its requests and whether they are pending', () => {
    const { emulator, me } = createFixture();
    const url = '/api/identity/events/live';
    const index = indexOf(send(emulator, { url, ...bearer(me.token) }).answer);
    const { abort } = send(emulator, { url: `${url}?watch_index=${index}`, ...bearer(me.token) });
    deepStrictEqual(
      emulator.requests.map(({ status, pending }) => [status, pending]),
      [
        [200, false],
        [undefined, true],
      ],
    );
    strictEqual(emulator.requests[0]?.token, me.token);
    abort();
    deepStrictEqual(
      emulator.requests.map(({ pending }) => pending),
      [false, false],
    );
  });
});

describe('an emulator that listens', () => {
  it('answers 500 to what throws, says so in one line, and serves the next request', async () => {
    const said: unknown[] = [];
    const { error } = console;
    console.error = (line: unknown) => said.push(line);
    const emulator = createEmulator();
    let throws = true;
    const server = await listen({
      handle: request => {
        if (throws) throw new Error('a bug\nin two lines');
        return emulator.handle(request);
      },
    });
    try {
      strictEqual((await fetch(server.url)).status, 500);
      throws = false;
      const answer = await fetch(server.url);
      deepStrictEqual([answer.status, answer.headers.get('x-content-type-options')], [200, 'nosniff']);
      deepStrictEqual(said, ['lobby-rx emulator: GET failed: Error: a bug in two lines']);
    } finally {
      console.error = error;
      await server.close();
    }
  });

  it('rejects if the port is in use, and frees it when closed', async () => {
    const emulator = createEmulator();
    const server = await listen(emulator);
    await rejects(listen(emulator, { port: server.port }), { code: 'EADDRINUSE' });
    await server.close();
    await (await listen(emulator, { port: server.port })).close();
  });

  it('answers as it does in process: a client sees no difference', async () => {
    const scenario = async (client: Client, emulator: Emulator, group_id: string) => {
      const codes: unknown[] = [];
      for (const id of [group_id, 'nowhere']) {
        const outcome = await lastValueFrom(client.group.getMembers({ group_id: id })).catch(
          (e: unknown) => e,
        );
        codes.push(
          isStatusError(outcome)
            ? [outcome.code, typeof outcome.rayId]
            : (outcome as { members: unknown[] }).members.length,
        );
      }
      const bios$ = client.events.feed.identityUpdate$.pipe(
        map(({ identity }) => identity.bio),
        take(2),
        toArray(),
      );
      const bios = lastValueFrom(bios$);
      while (emulator.requests.every(({ pending }) => !pending)) await new Promise(setImmediate);
      const { identityId } = ids;
      emulator.updateProfile(identityId, { bio: 'one' });
      emulator.updateProfile(identityId, { bio: 'two' });
      const tooLarge = await lastValueFrom(client.request(getMembers, { group_id }, { maxBody: 10 })).catch(
        (e: unknown) => e,
      );
      return [...codes, ...(await bios), isTransportError(tooLarge) && tooLarge.reason];
    };
    const ids = { identityId: '' };
    const outcomes: unknown[] = [];
    for (const remote of [false, true]) {
      const emulator = createEmulator({ collectTime: 0 });
      const { identity_id, token } = emulator.addIdentity();
      const group_id = emulator.addGroup();
      emulator.join(group_id, identity_id);
      ids.identityId = identity_id;
      const server = remote ? await listen(emulator) : undefined;
      const client = server
        ? createClient({ ...server.urls, token })
        : createClient({ ...emulator.urls, transport: emulator.transport, token });
      outcomes.push(await scenario(client, emulator, group_id));
      await server?.close();
    }
    deepStrictEqual(outcomes[0], [1, ['GROUP_NOT_FOUND', 'string'], 'one', 'two', 'too_large']);
    deepStrictEqual(outcomes[1], outcomes[0]);
  });

  it('serves all three services at its own url', async () => {
    const emulator = createEmulator();
    const { token } = emulator.addIdentity();
    const server = await listen(emulator);
    strictEqual(server.url, `http://127.0.0.1:${server.port}`);
    strictEqual(server.urls.groupUrl, `${server.url}/group`);
    const { url } = server;
    const client = createClient({ groupUrl: url, matchmakerUrl: url, apiUrl: url, token });
    const { events } = await lastValueFrom(client.events.watch());
    const error: unknown = await lastValueFrom(client.group.getMembers({ group_id: 'nowhere' })).catch(
      (e: unknown) => e,
    );
    const lobby: unknown = await lastValueFrom(
      client.matchmaker.players.connected({ player_token: 'x' }),
    ).catch((e: unknown) => e);
    deepStrictEqual(
      [events, isStatusError(error) && error.code, isUnauthorizedError(lobby) && lobby.cause?.code],
      [[], 'GROUP_NOT_FOUND', 'CLAIMS_MISSING_ENTITLEMENT'],
    );
    await server.close();
  });

  it('refuses a body that is too large, and keeps working', async () => {
    const emulator = createEmulator();
    const server = await listen(emulator);
    const send = (body: string) =>
      fetch(`${server.urls.matchmakerUrl}/v1/players/connected`, { method: 'POST', body });
    strictEqual((await send('x'.repeat(100_000))).status, 413);
    strictEqual((await send('{}')).status, 401);
    await server.close();
  });

  it('ends the connection of a request whose answer has a header that Node refuses', async () => {
    const server = await listen({
      handle: () => of({ status: 200, headers: { 'x-odd': 'a\r\nb' }, body: '' }),
    });
    await rejects(fetch(server.url));
    await server.close();
  });
});
