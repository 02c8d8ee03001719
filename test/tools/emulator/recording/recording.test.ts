import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert';
import fc from 'fast-check';
import { Observable, of, throwError, type SchedulerLike } from 'rxjs';
import { createClient, TransportError, type Transport, type TransportRequest } from 'lobby-rx';
import { createEmulator, fromRecording, withRecording, type RecordedLine } from 'lobby-rx/emulator';
import { anyText } from '../../../any-text.js';
import { virtualTime } from '../../../virtual-time.js';

const URL = 'https://api.example.com';
const get = (path: string, more: Partial<TransportRequest> = {}): TransportRequest => ({
  method: 'GET',
  url: URL + path,
  headers: {},
  ...more,
});
const answer = (text: string, headers: Readonly<Record<string, string>> = {}) => ({
  status: 200,
  text,
  headers: { get: (name: string) => headers[name] ?? null },
});

/** The lines that are written for a request that is answered with a text, after the first one. */
function recorded(request: TransportRequest, text = '') {
  const lines: string[] = [];
  withRecording(
    () => of(answer(text)),
    line => lines.push(line),
  )(request).subscribe();
  return lines.slice(1).map(line => JSON.parse(line) as RecordedLine);
}

const textOf = (line: RecordedLine | undefined) => (line as { text: string }).text;

/** The shape of a value: which types its parts have, without the names of its fields. */
const typesOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Object.values(value).map(typesOf) : typeof value;

/** What a feed and its status say, in the time of a scheduler. */
function follow(transport: Transport, scheduler: SchedulerLike, token: string) {
  const said: string[] = [];
  const say = (text: string) => said.push(`${scheduler.now() - Date.UTC(2026, 0, 1)} ${text}`);
  const client = createClient({
    url: URL,
    token,
    transport,
    scheduler,
    testing: { random: () => 0.5 },
    watch: { wake$: [] },
  });
  const { all$, gap$, status$ } = client.events.feed;
  const error = (error: unknown) => say(String(error));
  const following = [
    all$.subscribe({ next: event => say(event.kind), error }),
    gap$.subscribe({ next: ({ reason }) => say(`gap ${reason}`), error }),
    status$.subscribe({ next: ({ state }) => say(state), error }),
  ];
  const stop = () => {
    for (const one of following) one.unsubscribe();
  };
  return { said, stop };
}

describe('a recording', () => {
  it('replays a watch with its faults, in virtual time', () => {
    const { scheduler, pass } = virtualTime();
    const emulator = createEmulator({ scheduler, collectTime: 20 });
    const { identity_id, token } = emulator.addIdentity();
    const lines: string[] = [];
    const recording = withRecording(emulator.transport, line => lines.push(line), {
      now: () => scheduler.now(),
    });
    const before = follow(recording, scheduler, token);
    pass(1_000);
    emulator.publish(identity_id, { chat_message: { text: 'Hi' } });
    pass(1_000);
    emulator.fault({ kind: 'error', status: 503 }, { times: 3 });
    emulator.publish(identity_id, { chat_message: { text: 'Hi' } });
    pass(60_000);
    emulator.publish(identity_id, { chat_message: { text: 'Hi' } });
    pass(100_000);
    before.stop();
    ok(
      before.said.some(text => text.endsWith('retrying')),
      'the fault had no effect',
    );
    strictEqual(before.said.filter(text => text.endsWith('unknown')).length, 3);

    const again = virtualTime();
    const replayed = fromRecording(lines.join('\n'), { scheduler: again.scheduler });
    const after = follow(replayed, again.scheduler, 'another-token');
    again.pass(162_000);
    after.stop();
    // The emulator's first answer comes while the feed is subscribed to; a replayed one comes after
    // that.
    const isLater = (text: string) => text !== '0 connecting';
    deepStrictEqual(after.said.filter(isLater), before.said.filter(isLater));
  });

  it('keeps what decides what a watch does: shapes, indexes, times, codes, presences, and the same for the same', () => {
    const [sent, line] = recorded(
      get('/v1/groups/9f3c/members?watch_index=17&count=50&anchor=a%20b', { kind: 'poll' }),
      JSON.stringify({
        members: [
          {
            identity: {
              identity_id: '9f3c',
              presence: { status: 'online', update_ts: '2026-01-01T00:00:00Z' },
            },
          },
          { identity: { identity_id: 'ada', account_number: 4711, port: 4711, max: 4711 } },
        ],
        code: 'GROUP_NOT_MEMBER',
        anchor: 'a b',
        watch: { index: '18' },
        hostname: 'eu-1.lobby.example',
        avatar_url: 'https://cdn.example/ada.png?sig=1',
      }),
    ) as unknown as [{ url: string }, RecordedLine];
    strictEqual(
      sent.url,
      'https://service.example/v1/groups/id-1/members?watch_index=17&count=50&anchor=anchor-1',
    );
    deepStrictEqual(JSON.parse(textOf(line)), {
      members: [
        {
          identity: {
            identity_id: 'id-1',
            presence: { status: 'online', update_ts: '2026-01-01T00:00:00Z' },
          },
        },
        { identity: { identity_id: 'identity-1', account_number: 1, port: 1, max: 1 } },
      ],
      code: 'GROUP_NOT_MEMBER',
      anchor: 'anchor-1',
      watch: { index: '18' },
      hostname: 'host-1.example',
      avatar_url: 'https://url.example/1',
    });
  });

  it('keeps the headers that explain an answer, as far as they say what such a header says', () => {
    const lines: string[] = [];
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'retry-after': '7',
      server: 'nginx/1.25.1',
      'rvt-ray-id': 'b7e1',
      via: '1.1 inner-host-7',
      'set-cookie': 'session=hunter22',
    };
    withRecording(
      () => of(answer('', headers)),
      line => lines.push(line),
    )(get('/')).subscribe();
    const { headers: shown } = JSON.parse(lines[2]!) as { headers: Record<string, string> };
    deepStrictEqual(shown, {
      'content-type': 'text/html; charset=utf-8',
      'retry-after': '7',
      server: 'nginx/1.25.1',
      'rvt-ray-id': 'ray-1',
      via: 'text-1',
    });
  });

  it('has nothing of what somebody has typed, or a server has made, wherever it stands and however it is written', () => {
    const secrets = [
      'hunter22!',
      'eyJhbGciOi.J9-_x',
      '+49 170 5551234',
      'ann@example.com',
      'ünïcode ☃ text',
      'Zm9v/YmFy+Zg==',
    ];
    const shapes: ((
      secret: string,
    ) => readonly [path: string, text: string, headers?: object, body?: string])[] = [
      s => ['/', JSON.stringify({ access_token: { name: s, [s]: s } })],
      s => ['/', JSON.stringify({ display_name: s, bio: `I am ${s}.` })],
      s => ['/', JSON.stringify({ url: `https://game.example/play?token=${encodeURIComponent(s)}` })],
      s => ['/', JSON.stringify({ raw: JSON.stringify({ token: s }) })],
      s => ['/', JSON.stringify({ [s]: 1, by: { [s]: true } })],
      s => ['/', JSON.stringify({ kinds: { chat_message: { body: s, thread: [s, { s }] } } })],
      s => ['/', JSON.stringify({ code: s, status: s, ts: s, ray_id: s, anchor: s, watch: { index: s } })],
      s => ['/', JSON.stringify({ said: s, token: s, [s]: s })],
      s => ['/', JSON.stringify({ hostname: s, avatar_url: `data:image/png;base64,${s}`.repeat(400) })],
      s => ['/', `<html><body>Blocked: ${s}</body></html>`],
      s => ['/', `token=${s}&name=${s}`],
      s => ['/', s],
      s => ['/', `{"display_name":${JSON.stringify(s)},`],
      s => ['/', `{"display_name":${JSON.stringify(s).slice(0, -1)}`],
      s => ['/', `{"token": ${JSON.stringify(s)} ${JSON.stringify(s)}}`],
      s => ['/', `{'name': '${s}'}`],
      s => ['/', `{"a":"\\q${s}"}`],
      s => ['/', `{${JSON.stringify(s)}:`],
      s => ['/', `[1,2,${s}]`],
      s => ['/', `${'['.repeat(200_000)}${JSON.stringify(s)}`],
      s => [`/v1/groups/${encodeURIComponent(s)}/members`, ''],
      s => [`/${encodeURIComponent(s)}?${encodeURIComponent(s)}=${encodeURIComponent(s)}`, ''],
      s => [
        `/?access_token=${encodeURIComponent(s)}&watch_index=${encodeURIComponent(s)}&count=${encodeURIComponent(s)}`,
        '',
      ],
      s => [`/${s}?a=${s}`, ''],
      s => ['/', '', { server: s, via: s, 'content-type': s, date: s, 'retry-after': s, 'rvt-ray-id': s }],
      s => ['/', '', { server: `nginx/${s}`, 'content-type': `text/${s}` }],
      s => ['/', '', {}, JSON.stringify({ player_token: s, name: s })],
      s => ['/', '', {}, `player_token=${s}`],
    ];
    const known = (text: string) => [
      text,
      encodeURIComponent(text),
      JSON.stringify(text).slice(1, -1),
      btoa(encodeURIComponent(text)),
    ];
    for (const secret of secrets)
      for (const shape of shapes) {
        const [path, text, headers = {}, body] = shape(secret);
        const lines: string[] = [];
        withRecording(
          () => of(answer(text, headers as Record<string, string>)),
          line => lines.push(line),
        )(get(path, { headers: { authorization: `Bearer ${secret}` }, ...(body && { body }) })).subscribe();
        const found = known(secret).filter(form => lines.join('\n').includes(form));
        deepStrictEqual(found, [], `${shape.toString()}: ${lines.join('\n').slice(0, 400)}`);
        strictEqual(lines.length, 3);
      }
  });

  it('has no secret where it keeps something of the same look: codes inside, numbers of a person, headers', () => {
    for (const [secret, request, text] of [
      ['correct', get('/x'), '{"correct_horse_battery_staple_tango_uniform_victor_id":"x"}'],
      ['KQZPLM', get('/x?code=KQZPLM'), '{"invite":{"code":"KQZPLM"}}'],
      ['pt.SECRET', get('/x'), '{"url":"wss://g.example/play?player_token=pt.SECRET"}'],
      ['SECRET9', get('/x'), '{"bio":"{\\"access_token\\":\\"SECRET9\\"}"}'],
      ['491705551234', get('/x'), '{"is_phone":491705551234,"metadata":491705551234}'],
      ['19900101', get('/x'), '{"birth_ts":19900101}'],
    ] as const)
      ok(!JSON.stringify(recorded(request, text)).includes(secret), text);
    deepStrictEqual(
      textOf(recorded(get('/x'), '{"code":"GROUP_NOT_MEMBER","metadata":1795278115909}').at(-1)),
      '{"code":"GROUP_NOT_MEMBER","metadata":1795278115909}',
    );
    const lines: string[] = [];
    const headers = { 'content-type': 'text/eyJhbGciOi.J9', server: 'nginx/10.1.12.13' };
    withRecording(
      () => of(answer('', headers)),
      line => lines.push(line),
    )(get('/x')).subscribe();
    ok(!/eyJ|10\.1\.12\.13/.test(lines.join()), lines.join());
  });

  it('refuses a line that was edited, so that it could not be replayed', () => {
    const [first, request, ...rest] = [
      '{"recording":"lobby-rx","version":1}',
      '{"at":1,"id":1,"kind":"request","method":"GET","url":"https://service.example/x"}',
      '{"at":2,"id":1,"kind":"abort"}',
    ] as const;
    const answers = [
      { status: 0, headers: {}, text: '' },
      { status: 'abc', headers: {}, text: '' },
      { status: 200, headers: {}, text: 7 },
      { status: 200, headers: { 'content-type': 'a\r\nb' }, text: '' },
      { status: 200, headers: { 'x-other': 'a' }, text: '' },
      { status: 200, text: '' },
    ].map(more => JSON.stringify({ at: 2, id: 1, kind: 'answer', ...more }));
    for (const line of [
      ...answers,
      '7',
      'null',
      '{"at":2,"id":1,"kind":"failure"}',
      '{"kind":"abort"}',
      request.replace('"GET"', '7'),
    ])
      throws(
        () => fromRecording([first, request, line, ...rest].join('\n')),
        /lines as withRecording writes them; got another one, line 3/,
        line,
      );
    for (const other of [undefined, 7, Buffer.from('x')])
      throws(() => fromRecording(other as unknown as string), /recording must be a text/);
    throws(() => fromRecording('', { schedular: 1 } as object), /unknown option `schedular`/);
    fromRecording(`\ufeff${[first, request, ...rest].join('\n')}`);
  });

  it('remembers so many strings that a long one is the same where it comes again soon, and forgets the oldest', () => {
    const texts = Array.from({ length: 30_000 }, (_, i) => `text ${i}`);
    const lines: RecordedLine[] = [];
    const record = withRecording(
      ({ url }) =>
        of(answer(JSON.stringify({ games: url.endsWith('again') ? [texts[0], texts[29_000]] : texts }))),
      line => lines.push(JSON.parse(line) as RecordedLine),
    );
    for (const path of ['/x', '/again']) record(get(path)).subscribe();
    const answers = lines
      .filter(({ kind }) => kind === 'answer')
      .map(line => JSON.parse(textOf(line)) as { games: string[] });
    const [all, again] = answers as [{ games: string[] }, { games: string[] }];
    deepStrictEqual(again.games, [all.games[0], all.games[29_000]]);
    deepStrictEqual(new Set(all.games).size, 30_000);
  });

  it('has no number of a person', () => {
    const [, line] = recorded(
      get('/'),
      '{"phone":491705551234,"card":[4111111111111111],"adult":true,"port":7777}',
    );
    strictEqual(textOf(line), '{"key-1":1,"key-2":[2],"key-3":false,"port":3}');
  });

  const bodyOf = (body: object): unknown => {
    const [, line] = recorded(get('/'), JSON.stringify(body));
    return JSON.parse(textOf(line));
  };

  it('has no key of a map, wherever it stands: only the names of the service, and of kinds of events', () => {
    const replaced = { 'key-1': 1 };
    deepStrictEqual(bodyOf({ alice: 3 }), replaced);
    deepStrictEqual(
      bodyOf({ events: [{ ts: '2026-01-01T00:00:00Z', kind: { round_over: { alice: 3 } } }] }),
      { events: [{ ts: '2026-01-01T00:00:00Z', kind: { round_over: replaced } }] },
    );
    for (const made of [
      (map: object) => ({ members: [{ identity: { presence: { public_metadata: map } } }] }),
      (map: object) => ({ events: [{ kind: { matchmaker_lobby_join: map } }] }),
      (map: object) => ({ events: [{ kind: { matchmaker_lobby_join: { ports: map } } }] }),
    ])
      deepStrictEqual(bodyOf(made({ alice: 3 })), made(replaced));
  });

  it('takes no key for a path', () => {
    deepStrictEqual(
      bodyOf({ 'watch.index': '4711', '?anchor': '4711', 'events.ts': '4711', x: { 'a.priority': 55_512 } }),
      { 'key-1': 'text-1', 'key-2': 'text-1', 'key-3': 'text-1', 'key-4': { 'key-5': 1 } },
    );
  });

  it('has no digits as text where the service has a time', () => {
    deepStrictEqual(bodyOf({ metadata: '491705551234', events: [{ ts: '491705551234' }] }), {
      metadata: 'text-1',
      events: [{ ts: 'text-1' }],
    });
    const limited = { code: 'API_RATE_LIMIT', metadata: 1_795_283_783_434 };
    deepStrictEqual(bodyOf(limited), limited);
  });

  it('has digits only where the service has them', () => {
    const digits = { index: '4711', anchor: '4711', min: 4711, max: 4712, join_ts: '2026-01-01T00:00:00Z' };
    deepStrictEqual(
      bodyOf({ watch: { index: '17' }, anchor: '18', members: [], kind: { watch: { ...digits } } }),
      {
        watch: { index: '17' },
        anchor: '18',
        members: [],
        kind: { watch: { index: 'index-1', anchor: 'index-1', min: 1, max: 2, join_ts: 'text-1' } },
      },
    );
    const port = { port_range: { min: 26_000, max: 27_000 } };
    const join = { kind: { matchmaker_lobby_join: { ports: { default: port } } } };
    deepStrictEqual(bodyOf({ events: [join] }), { events: [join] });
    deepStrictEqual(bodyOf({ port_range: { min: 26_000, max: 27_000 } }), {
      port_range: { min: 1, max: 2 },
    });
  });

  it('is malformed if what was recorded is', () => {
    const errorAt = (text: string) => {
      try {
        JSON.parse(text);
        return 'none';
      } catch (error) {
        return (error as Error).message
          .replace(/(at position|, ).*|"[^]*|\d+/g, '')
          .replace(/Unexpected token '.'/, 'token');
      }
    };
    for (const text of [
      '{"events":[',
      '{"events":[{"ts":"20',
      '{"a":1,}',
      '{"a":"\\q"}',
      '[1 2]',
      '{"a" "b"}',
      '{"a":nul',
      '[01]',
      '{"a":tru}',
    ]) {
      const shown = textOf(recorded(get('/'), text)[1]);
      ok(errorAt(shown) !== 'none', `${text}: ${shown}`);
    }
  });

  it('shows nothing of a text that is not kept, whatever it is', () => {
    fc.assert(
      fc.property(anyText(), anyText(), fc.json(), (text, key, more) => {
        fc.pre(text.length >= 8 && !/^[a-z_]+$/.test(key) && !more.includes(text));
        const said = `{"said":${JSON.stringify(text)},${JSON.stringify(key)}:${JSON.stringify(text)},"more":${more}}`;
        const shown = textOf(recorded(get('/'), said)[1]);
        ok(!shown.includes(JSON.stringify(text).slice(1, -1)), shown);
        deepStrictEqual(typesOf(JSON.parse(shown)), typesOf(JSON.parse(said)));
      }),
    );
  });

  it('is written in a time that grows with the text, and passes on the answer as it came, whatever that is', () => {
    const texts = [
      JSON.stringify({ bio: 'a'.repeat(200_000) }),
      JSON.stringify({ avatar_url: `data:image/png;base64,${'A'.repeat(150_000)}` }),
      `{"a":"${'\\'.repeat(100_000)}`,
      `{"kinds":${'{"a":'.repeat(6_000)}1${'}'.repeat(6_000)}}`,
      '['.repeat(300_000),
      '"'.repeat(100_001),
      'x'.repeat(1_000_000),
    ];
    for (const text of texts) {
      const lines: string[] = [];
      let came = '';
      const start = performance.now();
      withRecording(
        () => of(answer(text)),
        line => lines.push(line),
      )(get('/')).subscribe(response => {
        came = response.text;
      });
      ok(performance.now() - start < 2_000, text.slice(0, 40));
      strictEqual(came, text);
      strictEqual(lines.length, 3);
    }
  });

  it('is written although what writes it fails, and says how requests ended', () => {
    const ends: RecordedLine['kind'][] = [];
    const write = (line: string) => {
      ends.push((JSON.parse(line) as RecordedLine).kind);
      throw new Error('the disk is full');
    };
    const fails = () => throwError(() => Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    let seen: unknown;
    withRecording(
      fails,
      write,
    )(get('/')).subscribe({
      error: (error: unknown) => {
        seen = error;
      },
    });
    withRecording(
      () => new Observable(),
      write,
    )(get('/'))
      .subscribe()
      .unsubscribe();
    deepStrictEqual(ends, [undefined, 'request', 'failure', undefined, 'request', 'abort']);
    strictEqual((seen as Error).message, 'reset');
  });
});

describe('fromRecording', () => {
  const HEAD = '{"recording":"lobby-rx","version":1}';
  const lines = (...more: readonly object[]) => [HEAD, ...more.map(line => JSON.stringify(line))].join('\n');
  const request = { at: 10, id: 1, kind: 'request', method: 'GET', url: `${URL}/v1/a?x=1` };

  it('answers at the recorded time, at another base URL, with the headers', () => {
    const { scheduler, pass } = virtualTime();
    const arrivals: number[] = [];
    const seen: unknown[] = [];
    const transport = fromRecording(
      lines(
        request,
        { at: 40, id: 1, kind: 'arrival', status: 429 },
        { at: 60, id: 1, kind: 'answer', status: 429, headers: { 'retry-after': '7' }, text: 'no' },
      ),
      { scheduler },
    );
    transport({
      method: 'GET',
      url: 'http://127.0.0.1:8080/a?x=1',
      headers: {},
      onArrival: status => arrivals.push(status),
    }).subscribe(({ status, headers, text }) => seen.push([status, headers.get('Retry-After'), text]));
    pass(49);
    deepStrictEqual([arrivals, seen], [[429], []]);
    pass(1);
    deepStrictEqual(seen, [[429, '7', 'no']]);
  });

  it('fails as it failed, and says what was not recorded', () => {
    const { scheduler, pass } = virtualTime();
    const errors: unknown[] = [];
    const transport = fromRecording(lines(request, { at: 10, id: 1, kind: 'failure', reason: 'lost' }), {
      scheduler,
    });
    for (let i = 0; i < 2; i++)
      transport(get('/v1/a?x=1')).subscribe({ error: (error: unknown) => errors.push(error) });
    pass(1);
    deepStrictEqual(errors.map(error => (error as TransportError).reason).sort(), ['lost', 'not_sent']);
    match(String(errors[0]), /the recording has no such request that is left/);
  });

  it('never answers what was aborted, nor a poll after the last one', () => {
    const { scheduler, pass } = virtualTime();
    let ended = 0;
    const transport = fromRecording(lines(request, { at: 20, id: 1, kind: 'abort' }), { scheduler });
    const count = () => ended++;
    for (const kind of ['call', 'poll'] as const)
      transport(get('/v1/a?x=1', { kind })).subscribe({ next: count, error: count, complete: count });
    pass(1_000_000);
    strictEqual(ended, 0);
  });

  it('takes any id for a recorded one, and each of several for another', () => {
    const { scheduler, pass } = virtualTime();
    const asked = (id: number, group: string) => [
      {
        at: 10,
        id,
        kind: 'request',
        method: 'GET',
        url: `https://service.example/v1/groups/${group}/members`,
      },
      { at: 10, id, kind: 'answer', status: 200, headers: {}, text: `${group} ${id}` },
    ];
    const transport = fromRecording(
      lines(...asked(1, 'id-1'), ...asked(2, 'id-2'), ...asked(3, 'id-1'), ...asked(4, 'id-2')),
      { scheduler },
    );
    const seen: string[] = [];
    for (const group of ['mine', 'other', 'other', 'mine', 'third'])
      transport(get(`/v1/groups/${group}/members`)).subscribe({
        next: ({ text }) => seen.push(text),
        error: (error: unknown) => seen.push((error as TransportError).reason),
      });
    pass(1);
    deepStrictEqual(seen.sort(), ['id-1 1', 'id-1 3', 'id-2 2', 'id-2 4', 'not_sent']);
  });

  it('takes a recording that was cut off, and refuses what is none', () => {
    ok(fromRecording(`${lines(request)}\n{"at":12,"id`));
    throws(() => fromRecording('{"a":1}'), /a recording of withRecording, of version 1/);
    throws(() => fromRecording(''), /a recording of withRecording/);
    throws(
      () => fromRecording('LOBBY_RX_TOKEN=abcd1234'),
      error => !String(error).includes('abcd'),
    );
    throws(() => fromRecording(`${HEAD}\n{"at":\n${JSON.stringify(request)}`), /line 2/);
  });
});
