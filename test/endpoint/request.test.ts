import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert';
import { inspect } from 'node:util';
import * as t from 'io-ts';
import { assert as check, asyncProperty } from 'fast-check';
import { EMPTY, lastValueFrom, of, throwError, type SchedulerLike } from 'rxjs';
import {
  createClient,
  endpoint,
  InputError,
  integer,
  isDecodeError,
  isInputError,
  isStatusError,
  isTransportError,
  jsonObject,
  nonEmptyString,
  playersDisconnected,
  struct,
  type StatusError,
  type Transport,
  type TransportRequest,
} from 'lobby-rx';
import { Acknowledged } from 'lobby-rx/codecs';
import { isWellFormed } from '../../src/error/index.js';
import { anyText } from '../any-text.js';
import { virtualTime } from '../virtual-time.js';

const urls = {
  groupUrl: 'https://group.example/prefix/',
  matchmakerUrl: 'https://matchmaker.example',
  apiUrl: 'https://api.example',
};
const list = JSON.stringify({ members: [], watch: { index: '1' }, anchor: null });

/** A client whose requests are all answered with this, and the requests that it sent. */
function clientOf(
  text: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
  scheduler?: SchedulerLike,
) {
  const sent: TransportRequest[] = [];
  const transport: Transport = request => {
    // What is not sent, but only tells the transport how to send it, is left out.
    const onTheWire: { -readonly [K in keyof TransportRequest]: TransportRequest[K] } = { ...request };
    delete onTheWire.onArrival;
    delete onTheWire.onSent;
    sent.push(onTheWire);
    return of({ status, headers: { get: name => headers[name] ?? null }, text });
  };
  return {
    sent,
    client: createClient({ ...urls, token: 'token', transport, ...(scheduler && { scheduler }) }),
  };
}

async function failureOf(client: ReturnType<typeof clientOf>['client']): Promise<unknown> {
  return lastValueFrom(client.group.getMembers({ group_id: 'g' })).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('a request', () => {
  it('goes to the URL of its service, with its path, query and body and nothing else', async () => {
    const { sent, client } = clientOf(list);
    const input = { group_id: 'g 1', anchor: 'a+b&c=d', count: 5, watch_index: '0017' };
    await lastValueFrom(client.group.getMembers(input));
    deepStrictEqual(sent[0], {
      method: 'GET',
      idempotent: true,
      server: 'group',
      kind: 'poll',
      url: 'https://group.example/prefix/v1/groups/g%201/members?anchor=a%2Bb%26c%3Dd&count=5&watch_index=0017',
      headers: { authorization: 'Bearer token' },
    });

    const lobby = clientOf('');
    await lastValueFrom(lobby.client.matchmaker.players.connected({ player_token: 'p' }));
    deepStrictEqual(lobby.sent[0], {
      method: 'POST',
      idempotent: false,
      server: 'matchmaker',
      emptyOk: 'plain',
      url: 'https://matchmaker.example/v1/players/connected',
      headers: { authorization: 'Bearer token', 'content-type': 'application/json' },
      body: '{"player_token":"p"}',
    });

    const events = clientOf('{"events":[],"watch":{"index":"2"}}');
    await lastValueFrom(events.client.events.watch());
    strictEqual(events.sent[0]?.url, 'https://api.example/identity/events/live');
  });

  it('may be kept alive when its page goes away, and have a limit of its own', async () => {
    const { sent, client } = clientOf('{}');
    const input = { player_token: 'p' };
    await lastValueFrom(client.request(playersDisconnected, input, { keepalive: true, maxBody: 100 }));
    await lastValueFrom(client.request(playersDisconnected, input));
    deepStrictEqual(
      sent.map(({ keepalive, maxBody }) => [keepalive, maxBody]),
      [
        [true, 100],
        [undefined, undefined],
      ],
    );
    for (const [config, message] of [
      [
        { keepAlive: true },
        /unknown option `keepAlive`; did you mean `keepalive`\? Options: keepalive, maxBody/,
      ],
      [{ keepalive: 'yes' }, /keepalive must be true or false/],
      [{ maxBody: 0 }, /maxBody must be a positive integer/],
    ] as const) {
      throws(() => client.request(playersDisconnected, input, config as object), message);
    }
  });

  it('encodes any path parameter as one segment of the path', async () => {
    await check(
      asyncProperty(anyText({ minLength: 1 }), async group_id => {
        const { sent, client } = clientOf(list);
        const outcome = await lastValueFrom(client.group.getMembers({ group_id })).catch((e: unknown) => e);
        if (isInputError(outcome)) {
          strictEqual(sent.length, 0);
          ok(group_id === '.' || group_id === '..' || !isWellFormed(group_id));
          return;
        }
        const segments = new URL(sent[0]!.url).pathname.split('/');
        deepStrictEqual(segments.slice(0, 4), ['', 'prefix', 'v1', 'groups']);
        strictEqual(decodeURIComponent(segments[4]!), group_id);
        deepStrictEqual(segments.slice(5), ['members']);
      }),
    );
  });

  it('sends an index and an anchor byte for byte', async () => {
    const text = anyText({ minLength: 1, maxLength: 50 });
    // What a service takes for the address of its next page. fast-check's own URLs take a second to
    // begin with.
    const address = text.map(path => `https://a.example/${path}?b=c&d=%20#e`);
    await check(
      asyncProperty(text, address, async (watch_index, anchor) => {
        const { sent, client } = clientOf(list);
        await lastValueFrom(client.group.getMembers({ group_id: 'g', watch_index, anchor }));
        const query = new URL(sent[0]!.url).search.slice(1).split('&');
        deepStrictEqual(
          query.map(part => decodeURIComponent(part.split('=')[1]!)),
          [anchor, watch_index],
        );
      }),
    );
  });

  it('rejects invalid input before anything is sent, and says what to change', async () => {
    const { sent, client } = clientOf(list);
    const { group, matchmaker, events } = client;
    const bad: [{ subscribe: unknown }, string][] = [
      [group.getMembers({ group_id: '' }), 'group_id must be a non-empty string; got an empty string'],
      [group.getMembers({ group_id: 7 as never }), 'group_id must be a non-empty string; got 7'],
      [group.getMembers({} as never), 'group_id must be a non-empty string; got undefined'],
      [
        group.getMembers({ group_id: '..' }),
        "group_id must be an identifier other than '.' and '..'; got '..'",
      ],
      [
        group.getMembers({ group_id: '\ud800' }),
        'group_id must be well-formed text; got a string with a lone surrogate',
      ],
      [group.getMembers({ group_id: 'g', count: 0 }), 'count must be a positive integer; got 0'],
      [group.getMembers({ group_id: 'g', count: 1.5 }), 'count must be a positive integer; got 1.5'],
      [group.getMembers({ group_id: 'g', count: NaN }), 'count must be a positive integer; got NaN'],
      [
        group.getMembers({ group_id: 'g', anchor: '' }),
        'anchor must be a non-empty string from an earlier answer; omit it to start over; got an empty string',
      ],
      [
        events.watch({ watch_index: '' }),
        'watch_index must be a non-empty string from an earlier answer; omit it to start over; got an empty string',
      ],
      [
        matchmaker.players.connected({ player_token: '' }),
        'player_token must be a non-empty string; got an empty string',
      ],
      [group.members('', { count: 1 }), 'group_id must be a non-empty string; got an empty string'],
      [
        group.getMembers({ group_id: 'g', coutn: 1 } as never),
        'unknown field `coutn`; did you mean `count`? Fields: group_id, anchor, count, watch_index',
      ],
    ];
    for (const [answer$, message] of bad) {
      const error = await lastValueFrom(answer$ as never).catch((e: unknown) => e);
      ok(error instanceof InputError && isInputError(error), String(error));
      strictEqual(error.message, message);
    }
    strictEqual(sent.length, 0);
  });

  it('fails with a StatusError that has all details of the error body', async () => {
    const body = { code: 'GROUP_NOT_MEMBER', message: 'No.', metadata: { a: 1 }, ray_id: 'ray' };
    const error = await failureOf(clientOf(JSON.stringify(body), 403).client);
    ok(isStatusError(error));
    deepStrictEqual(
      [error.status, error.code, error.metadata, error.rayId],
      [403, 'GROUP_NOT_MEMBER', { a: 1 }, 'ray'],
    );
    strictEqual(
      error.message,
      '403 GROUP_NOT_MEMBER: No. (GET https://group.example/prefix/v1/groups/g/members)',
    );
  });

  it('fails with a StatusError if the error body is empty, HTML, truncated or any other JSON', async () => {
    for (const text of ['', '<html>502</html>', '{"code":', '[]', 'null', '{"code":7,"message":[]}']) {
      const error = await failureOf(clientOf(text, 502, { 'rvt-ray-id': 'ray' }).client);
      ok(isStatusError(error));
      deepStrictEqual([error.status, error.code, error.rayId], [502, undefined, 'ray']);
    }
  });

  it('reads how long to wait from seconds, from a date, and from metadata', async () => {
    const soon = Date.now() + 60_000;
    const retryAfterFor = async (text: string, headers = {}) =>
      ((await failureOf(clientOf(text, 429, headers).client)) as StatusError).retryAfter;
    strictEqual(await retryAfterFor('', { 'retry-after': '7' }), 7_000);
    const byDate = await retryAfterFor('', { 'retry-after': new Date(soon).toUTCString() });
    ok(byDate !== undefined && byDate > 55_000 && byDate <= 60_000);
    const byMetadata = await retryAfterFor(JSON.stringify({ metadata: soon }));
    ok(byMetadata !== undefined && byMetadata > 55_000 && byMetadata <= 60_000);
    strictEqual(await retryAfterFor('', { 'retry-after': new Date(0).toUTCString() }), undefined);
    strictEqual(await retryAfterFor('', { 'retry-after': 'soon' }), undefined);
    strictEqual(await retryAfterFor('{"metadata":{"a":1}}'), undefined);
    strictEqual(await retryAfterFor('{"metadata":5}'), undefined);
    for (const seconds of ['30', ' 30 ', '30.0', '30.', '30, 30', '30,30', '30.0 , 30.0', '0030'])
      strictEqual(await retryAfterFor('', { 'retry-after': seconds }), 30_000, seconds);
    strictEqual(await retryAfterFor('', { 'retry-after': '1.5' }), 1_500);
    strictEqual(await retryAfterFor('', { 'retry-after': '10000000000' }), 1e13);
    strictEqual(await retryAfterFor('', { 'retry-after': '9'.repeat(400) }), Number.MAX_SAFE_INTEGER);
    const date = new Date(soon).toUTCString();
    const byTwice = await retryAfterFor('', { 'retry-after': `${date}, ${date}` });
    ok(byTwice !== undefined && byTwice > 55_000 && byTwice <= 60_000);
    for (const invalid of ['-5', '30, 31', '3 0', '30s', '1.5.1', '.5', '', 'Infinity', ' ,']) {
      strictEqual(await retryAfterFor('', { 'retry-after': invalid }), undefined);
    }
    const fallback = await retryAfterFor(JSON.stringify({ metadata: soon }), { 'retry-after': 'soon' });
    ok(fallback !== undefined && fallback > 55_000);
  });

  it('counts a time to wait for from the Date of the answer; without it from this clock, at most 15 minutes', async () => {
    const sentAt = Date.UTC(2026, 0, 1);
    const until = sentAt + 60_000;
    /** The waits that a date and metadata give by a clock that is `minutes` minutes ahead. */
    const waits = (minutes: number, date?: string) => {
      const { scheduler } = virtualTime();
      scheduler.frame = sentAt + minutes * 60_000;
      const read = async (text: string, headers: Readonly<Record<string, string>>) => {
        const { client } = clientOf(text, 429, { ...headers, ...(date && { date }) }, scheduler);
        return ((await failureOf(client)) as StatusError).retryAfter! / 60_000;
      };
      return Promise.all([
        read('', { 'retry-after': new Date(until).toUTCString() }),
        read(JSON.stringify({ metadata: until }), {}),
      ]);
    };
    const date = new Date(sentAt).toUTCString();
    for (const minutes of [-10, 0, 10]) deepStrictEqual(await waits(minutes, date), [1, 1]);
    for (const unreadable of [undefined, 'today', '0', new Date(0).toUTCString()]) {
      deepStrictEqual(await waits(-10, unreadable), [11, 11]);
      deepStrictEqual(await waits(-20, unreadable), [15, 15]);
      deepStrictEqual(await waits(10, unreadable), [0, 0]);
    }
    const { client } = clientOf('', 429, { 'retry-after': '3600' });
    strictEqual(((await failureOf(client)) as StatusError).retryAfter, 3_600_000);
  });

  it('fails with a StatusError even if the metadata is malicious', async () => {
    for (const metadata of ['{"toString":1,"valueOf":1}', '['.repeat(20_000) + ']'.repeat(20_000)]) {
      const error = await failureOf(
        clientOf(`{"code":"GROUP_NOT_MEMBER","metadata":${metadata}}`, 403).client,
      );
      ok(isStatusError(error) && error.status === 403, String(error));
    }
  });

  it('keeps the code of a refusal, even if a player token equals a key of the error body', async () => {
    for (const player_token of ['code', 'message', 'metadata']) {
      const { client } = clientOf(`{"code":"TOKEN_ERROR","message":"no"}`, 400);
      const error = await lastValueFrom(client.matchmaker.players.connected({ player_token })).catch(
        (e: unknown) => e,
      );
      ok(isStatusError(error) && error.code === 'TOKEN_ERROR');
    }
  });

  it('fails with a DecodeError if a 2xx does not match the endpoint', async () => {
    const messageFor = async (text: string) => {
      const error = await failureOf(clientOf(text).client);
      ok(isDecodeError(error), String(error));
      return `${error.path}: ${error.expected}, got ${error.got}`;
    };
    strictEqual(await messageFor('<html>Sign in</html>'), ': JSON, got HTML');
    strictEqual(await messageFor('no members'), ': JSON, got 10 characters of something else');
    const cutOff = ': JSON, got JSON that is cut off: something on the way has ended the answer';
    for (const text of ['{"members":', ' [1,']) strictEqual(await messageFor(text), cutOff);
    for (const text of ['', ' \n', 'null', '{ }'])
      strictEqual(await messageFor(text), ': GroupMemberList, got nothing');
    strictEqual(await messageFor('[]'), ': GroupMemberList, got an array');
    strictEqual(
      await messageFor('{"members":{"0":1},"watch":{"index":"1"}}'),
      'members: array of at most 10000 members, got an object',
    );
    strictEqual(
      await messageFor('{"members":[],"watch":{"index":5}}'),
      'watch.index: string that fits in a URL, got a number',
    );
    const none = await failureOf(clientOf('', 204).client);
    ok(isStatusError(none) && none.status === 204);
  });

  it('is not taken for nothing if its codec fails without a reason', async () => {
    const { client } = clientOf('{"members":[]}');
    const silent = new t.Type('Silent', t.never.is, () => ({ _tag: 'Left', left: [] }) as never, t.identity);
    const own = endpoint({ method: 'GET', service: 'group', path: '/v1/own', response: silent });
    const failed = (await lastValueFrom(client.request(own, {})).catch((error: unknown) => error)) as Error;
    ok(isDecodeError(failed));
    deepStrictEqual([failed.expected, failed.got], ['Silent', 'something else']);
  });

  it('does not accept a 2xx that is not an acknowledgement', async () => {
    const confirm = (text: string, status = 200) =>
      lastValueFrom(
        clientOf(text, status).client.matchmaker.players.connected({ player_token: 'p-token' }),
      ).then(
        () => 'admitted',
        (error: unknown) => (error as Error).name,
      );
    for (const [text, status] of [
      ['', 200],
      ['{}', 200],
      ['', 204],
    ] as const) {
      strictEqual(await confirm(text, status), 'admitted');
    }
    strictEqual(await confirm('null'), 'DecodeError');
    for (const text of ['<html>', '"OK"', 'OK', '[]', 'true', '{']) {
      strictEqual(await confirm(text), 'StatusError');
    }
    for (const [text, status] of [
      ['{"more":1}', 200],
      ['{}', 201],
      ['', 202],
      ['{}', 302],
    ] as const)
      strictEqual(await confirm(text, status), 'StatusError');
    strictEqual(await confirm('{}', 400), 'StatusError');
  });

  it('redacts a player token that the service quotes', async () => {
    const player_token = 'player.s3cret';
    const { client } = clientOf(
      `{"code":"TOKEN_ERROR","message":"bad ${player_token}","metadata":"${player_token}"}`,
      400,
    );
    const error = await lastValueFrom(client.matchmaker.players.connected({ player_token })).catch(
      (e: unknown) => e,
    );
    ok(isStatusError(error) && error.code === 'TOKEN_ERROR');
    ok(!inspect(error, { depth: 9 }).includes('s3cret') && !JSON.stringify(error).includes('s3cret'));
  });

  it('fails with a TransportError if a transport completes without an answer or fails with any value', async () => {
    const silent = createClient({ ...urls, token: 'token', transport: () => EMPTY });
    ok(isTransportError(await failureOf(silent)));
    const odd = createClient({ ...urls, token: 'token', transport: () => throwError(() => 'odd') });
    ok(isTransportError(await failureOf(odd)));
  });
});

describe('a custom endpoint', () => {
  const rename = endpoint({
    method: 'PUT',
    service: 'group',
    path: '/v1/groups/{group_id}/names/{name_id}',
    query: struct('RenameQuery', { lang: nonEmptyString }),
    body: struct('RenameBody', { name: nonEmptyString }, { rank: integer }),
    response: Acknowledged,
  });

  it('has one flat input for path, query and body', async () => {
    const { sent, client } = clientOf('{}');
    await lastValueFrom(
      client.request(rename, { group_id: 'g', name_id: 'n', lang: 'de', name: 'Neu', rank: null }),
    );
    deepStrictEqual(sent[0], {
      method: 'PUT',
      idempotent: true,
      server: 'group/v1/groups/{group_id}/names/{name_id}',
      emptyOk: 'any',
      url: 'https://group.example/prefix/v1/groups/g/names/n?lang=de',
      headers: { authorization: 'Bearer token', 'content-type': 'application/json' },
      body: '{"name":"Neu"}',
    });
  });

  it('takes decoded values and sends encoded ones', async () => {
    const since = new t.Type<Date, string>(
      'Date',
      (u): u is Date => u instanceof Date,
      (u, context) => (typeof u === 'string' ? t.success(new Date(u)) : t.failure(u, context)),
      date => date.toISOString(),
    );
    const dated = endpoint({
      method: 'GET',
      service: 'api',
      path: '/x',
      query: struct('SinceQuery', { since }),
      response: jsonObject,
    });
    const { sent, client } = clientOf('{}');
    await lastValueFrom(client.request(dated, { since: new Date(0) }));
    strictEqual(sent[0]?.url, 'https://api.example/x?since=1970-01-01T00%3A00%3A00.000Z');
    const error = await lastValueFrom(client.request(dated, { since: 'now' as never })).catch(
      (e: unknown) => e,
    );
    ok(isInputError(error));
    strictEqual(error.message, 'since must be Date; got a string of 3 characters');
  });

  it('may have a codec that throws: that is a DecodeError, without what was thrown', async () => {
    const broken = new t.Type<never, unknown>(
      'Broken',
      (u): u is never => u === broken,
      value => {
        throw new Error(JSON.stringify(value));
      },
      t.identity,
    );
    const own = endpoint({ method: 'GET', service: 'api', path: '/x', response: broken });
    const { client } = clientOf('{"token":"s3cret"}');
    const error = await lastValueFrom(client.request(own, {})).catch((e: unknown) => e);
    ok(isDecodeError(error) && !String(error.stack).includes('s3cret'));
    strictEqual(`${error.expected}, got ${error.got}`, 'Broken, got an object');
  });

  it('must be an object, and may have parameters of letters, digits and underscores', () => {
    const rest = { method: 'GET', service: 'api', response: jsonObject } as const;
    for (const path of ['/{group-id}', '/{}', '/a}', '/{a', 'a']) {
      throws(() => endpoint({ ...rest, path }), /^InputError: path must be a path that starts with '\/'/);
    }
    throws(() => endpoint(undefined as never), /^InputError: endpoint must be an object; got undefined$/);
  });

  it('must have a path that starts with a slash', () => {
    const define = () => endpoint({ method: 'GET', service: 'api', path: 'v1/x', response: jsonObject });
    let error: unknown;
    try {
      define();
    } catch (thrown) {
      error = thrown;
    }
    ok(isInputError(error));
  });

  it('has a codec that may throw: what it throws is never shown', async () => {
    const throwing = new t.Type<unknown>(
      'Throwing',
      t.unknown.is,
      u => {
        throw new Error(`quoted ${JSON.stringify(u)}`);
      },
      t.identity,
    );
    const get = endpoint({ method: 'GET', service: 'group', path: '/v1/x', response: throwing });
    const { client } = clientOf('{"a":"s3cret"}');
    const error: unknown = await lastValueFrom(client.request(get, {})).catch((e: unknown) => e);
    ok(isDecodeError(error) && !inspect(error).includes('s3cret'));
  });
});
