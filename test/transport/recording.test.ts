import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert';
import fc from 'fast-check';
import { Observable, of, throwError, type SchedulerLike } from 'rxjs';
import {
  createClient,
  fromRecording,
  TransportError,
  withRecording,
  type RecordedLine,
  type Transport,
  type TransportRequest,
} from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';
import { anyText } from '../any-text.js';
import { virtualTime } from '../virtual-time.js';

const URL = 'https://api.example.com';
const get = (path: string, more: Partial<TransportRequest> = {}): TransportRequest => ({
  ...{ method: 'GET', url: URL + path, headers: {} },
  ...more,
});
const answer = (text: string, headers: Readonly<Record<string, string>> = {}) => ({
  ...{ status: 200, text },
  headers: { get: (name: string) => headers[name] ?? null },
});

/** The lines that are written for a request that is answered with a text, after the first one. */
function recorded(request: TransportRequest, text = '', redact: readonly (string | RegExp)[] = []) {
  const lines: string[] = [];
  withRecording(
    () => of(answer(text)),
    line => lines.push(line),
    { redact },
  )(request).subscribe();
  return lines.slice(1).map(line => JSON.parse(line) as RecordedLine);
}

const textOf = (line: RecordedLine | undefined) => (line as { text: string }).text;

/** What a feed and its status say, in the time of a scheduler. */
function follow(transport: Transport, scheduler: SchedulerLike, token: string) {
  const said: string[] = [];
  const say = (text: string) => said.push(`${scheduler.now() - Date.UTC(2026, 0, 1)} ${text}`);
  const client = createClient({
    ...{ url: URL, token, transport, scheduler, testing: { random: () => 0.5 } },
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
    // The emulator's first answer comes while the feed is subscribed to; a replayed one comes after that.
    const isLater = (text: string) => text !== '0 connecting';
    deepStrictEqual(after.said.filter(isLater), before.said.filter(isLater));
  });

  it('has no secrets: of tokens and e-mail addresses in headers, queries, bodies and answers', () => {
    const lines = recorded(
      get('/a?access_token=abcd1234&x=bearer-1', {
        method: 'POST',
        headers: { authorization: 'Bearer bearer-1' },
        body: '{"player_token":"player-1","name":"Ann"}',
      }),
      '{"player":{"token":"player-2"},"said":"bearer-1 player-1 ann@example.com","n":12345678901234567890}',
    );
    deepStrictEqual(
      lines.map(({ kind }) => kind),
      ['request', 'answer'],
    );
    const [{ url, body }, { text }] = lines as unknown as [{ url: string; body: string }, { text: string }];
    strictEqual(url, `${URL}/a?access_token=redacted-2&x=redacted-1`);
    strictEqual(body, '{"player_token":"redacted-3","name":"Ann"}');
    strictEqual(
      text,
      '{"player":{"token":"redacted-4"},"said":"redacted-1 redacted-3 redacted-5","n":12345678901234567890}',
    );
  });

  it('has none that is written in another way: with escapes, as a number, or cut off', () => {
    for (const text of [
      '{"tok\\u0065n":"abcdefgh"}',
      '{"token":"\\u0061bcdefgh"}',
      '{"token":12345678}',
      '{"tokens":["abcdefgh",{"a":"abcdefgh"}]}',
      '{"Access_Token":"abcdefgh"}',
      '{"token":"abcdefgh","token":"abcdefgh"}',
      '{"player":{"token":"abcdefgh',
    ]) {
      const [, line] = recorded(get('/'), text);
      ok(!/abcdefgh|bcdefgh|12345678/.test(textOf(line)), `${text}: ${textOf(line)}`);
    }
  });

  it('has none that is said before the field that shows that it is one, nor in a key', () => {
    const [, line] = recorded(get('/'), '{"said":"abcdefgh","by":{"abcdefgh":1},"n":1,"token":"abcdefgh"}');
    strictEqual(textOf(line), '{"said":"redacted-1","by":{"redacted-1":1},"n":1,"token":"redacted-1"}');
  });

  it('has none that no URL can have, or is in one that cannot be decoded', () => {
    const [{ url }, line] = recorded(
      get('/?token=%Zbcdefgh', { body: '{"token":"abcdefgh\\ud800"}' }),
      '{"said":"abcdefgh\\ud800"}',
    ) as unknown as [{ url: string }, RecordedLine];
    strictEqual(url, `${URL}/?token=redacted-1`);
    ok(!textOf(line).includes('abcdefgh'), textOf(line));
  });

  it('replaces more if asked to, by field and by pattern', () => {
    const [, line] = recorded(get('/'), '{"display_name":"Ann","text":"call 555-1234"}', [
      'display_name',
      /\d{3}-\d{4}/,
    ]);
    strictEqual(textOf(line), '{"display_name":"redacted-1","text":"call redacted-2"}');
  });

  it('shows no secret, whatever it is and wherever it comes again', () => {
    const secret = anyText().filter(text => text.length >= 8 && !'redacted-'.includes(text));
    fc.assert(
      fc.property(secret, anyText(), anyText(), (token, before, after) => {
        fc.pre(!`${before}${after}`.includes(token));
        const said = JSON.stringify({ player_token: token, said: before + token + after });
        const [, line] = recorded(get('/'), said);
        const { said: shown } = JSON.parse(textOf(line)) as { said: string };
        ok(!shown.includes(token), shown);
      }),
    );
  });

  it('leaves JSON without secrets as it is', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        fc.pre(!/token|password|secret|@/i.test(text));
        strictEqual(textOf(recorded(get('/'), text)[1]), text);
      }),
    );
  });

  it('is written although what writes it fails, and says how requests ended', () => {
    const ends: RecordedLine['kind'][] = [];
    const write = (line: string) => {
      ends.push((JSON.parse(line) as RecordedLine).kind);
      throw new Error('the disk is full');
    };
    const fails = () => throwError(() => Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    let seen: unknown;
    withRecording(fails, write)(get('/')).subscribe({ error: (error: unknown) => (seen = error) });
    withRecording(
      () => new Observable(),
      write,
    )(get('/'))
      .subscribe()
      .unsubscribe();
    deepStrictEqual(ends, [undefined, 'request', 'failure', undefined, 'request', 'abort']);
    strictEqual((seen as Error).message, 'reset');
  });

  it('refuses what is no list of names and patterns', () => {
    throws(
      () =>
        withRecording(
          () => of(),
          () => undefined,
          { redact: [7] as never },
        ),
      /redact/,
    );
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
      ...{ method: 'GET', url: 'http://127.0.0.1:8080/a?x=1', headers: {} },
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
    const transport = fromRecording(
      lines(request, { at: 10, id: 1, kind: 'failure', reason: 'lost', message: 'the connection was lost' }),
      { scheduler },
    );
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

  it('takes a recording that was cut off, and refuses what is none', () => {
    ok(fromRecording(`${lines(request)}\n{"at":12,"id`));
    throws(() => fromRecording('{"a":1}'), /a recording of withRecording, of version 1/);
    throws(() => fromRecording(''), /a recording of withRecording/);
    throws(() => fromRecording(`${HEAD}\n{"at":\n${JSON.stringify(request)}`), /line 2/);
  });
});
