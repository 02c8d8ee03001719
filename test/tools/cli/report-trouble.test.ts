import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { concat, map, merge, NEVER, of, Subject, take, timer, toArray, VirtualTimeScheduler } from 'rxjs';
import { TransportError, type WatchSignal, type WatchStatus } from 'lobby-rx';
import type { ExitError } from '../../../src/tools/cli/exit-code.js';
import { giveUpAfter, reportTrouble } from '../../../src/tools/cli/report-trouble.js';
import { CONNECTING } from '../../connecting.js';
import { handle } from '../../payload.js';
import { waitUntil } from '../../wait-until.js';
import { lobbyRx } from './lobby-rx.js';
import { useService } from './service.js';

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

/**
 * A deep payload at the end of a line: whole, since Node 26, whose `JSON.stringify` goes as deep as
 * `JSON.parse`, or cut.
 */
const WHOLE_OR_CUT = /\{"a":(?:1|"\(nested too deeply to print\)")\}+$/;

describe('lobby-rx in trouble', () => {
  const service = useService();

  it('events reports the first of consecutive failures, each gap, and that it is live again', async () => {
    const { emulator, world, env, hasPendingWatch } = service;
    const run = lobbyRx(['events'], { env: env() });
    await waitUntil(hasPendingWatch);
    emulator.fault({ kind: 'html', status: 502 }, { times: 2 });
    emulator.fault({ kind: 'index_missing' });
    emulator.publish(world.identityId, { tick: 1 });
    await run.warns('retrying: 502');
    emulator.publish(world.identityId, { tick: 2 });
    await run.warns('live again');
    emulator.publish(world.identityId, { tick: 3 });
    await run.warns('something may be missing here: index_missing');
    run.process.kill('SIGTERM');
    const { code, err } = await run.exited;
    strictEqual(code, 0);
    strictEqual(err.match(/retrying/g)?.length, 1);
  });

  it('events and watch end with the exit code of the trouble if they are told when to give up', async () => {
    const { emulator, world, env } = service;
    emulator.fault({ kind: 'html', status: 500 }, { times: Infinity });
    for (const command of [
      ['events', '--from', 'yesterday'],
      ['watch', world.groupId],
    ]) {
      const { code, err } = await lobbyRx([...command, '--give-up', '1'], { env: env() }).exited;
      strictEqual(code, 1);
      match(err, /gave up after 1 s: 500/);
    }
  });

  it('watch reports as events does', async () => {
    const { emulator, world, env, hasPendingWatch } = service;
    const run = lobbyRx(['watch', world.groupId], { env: env() });
    await waitUntil(hasPendingWatch);
    emulator.fault({ kind: 'html', status: 503 });
    emulator.updatePresence(world.identityId, { status: 'one' });
    await run.prints('"updated"');
    emulator.updatePresence(world.identityId, { status: 'two' });
    await run.warns('retrying: 503');
    await run.warns('live again');
    run.process.kill('SIGTERM');
    strictEqual((await run.exited).code, 0);
  });

  it('events and watch ask whether the URL is right if a page of something else answers', async () => {
    const { world, env } = service;
    const server = createServer((_, response) => response.writeHead(404).end('<h1>Not here</h1>'));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const command of [['events'], ['watch', world.groupId]]) {
      const run = lobbyRx([...command, '--url', url], { env: env() });
      await run.warns('is the URL right?');
      run.process.kill('SIGTERM');
      strictEqual((await run.exited).code, 0);
    }
    await new Promise(resolve => server.close(resolve));
  });

  it('members says that its list is incomplete if a page cannot be read', async () => {
    const { emulator, world, env } = service;
    emulator.fault({ kind: 'html', status: 502 }, { only: ({ url }) => url.includes('anchor') });
    const { code, out, err } = await lobbyRx(['members', world.groupId], { env: env() }).exited;
    strictEqual(code, 1);
    strictEqual(out.trimEnd().split('\n').length, 16);
    match(err, /^lobby-rx: the list is incomplete: it ends after 16 members\nlobby-rx: 502 .*\n$/);
  });
});

describe('The trouble of a watch', () => {
  const status = (change: Partial<WatchStatus>): WatchSignal<string> => ({
    kind: 'status',
    status: { ...CONNECTING, ...change },
  });

  it('is reported once for each time that it begins and ends; the answers pass', () => {
    const lines: string[] = [];
    const answers: string[] = [];
    of<WatchSignal<string>[]>(
      status({}),
      status({ state: 'live' }),
      { kind: 'answer', answer: 'one' },
      status({ state: 'retrying', attempt: 1, error: new Error('502 Bad Gateway') }),
      status({ state: 'offline', attempt: 2, error: new Error('nobody there') }),
      { kind: 'gap', gap: { reason: 'silence', at: 0, index: undefined } },
      status({ state: 'live' }),
      { kind: 'answer', answer: 'two' },
      status({ state: 'retrying', attempt: 1, nextTry: Date.now() + 900_000 }),
      status({ state: 'closed' }),
    )
      .pipe(reportTrouble({ report: line => lines.push(line) }), toArray())
      .subscribe(all => answers.push(...all));
    deepStrictEqual(answers, ['one', 'two']);
    deepStrictEqual(lines, [
      'retrying: 502 Bad Gateway',
      'something may be missing here: silence',
      'live again',
      'retrying in 900 s: there was no answer in time',
    ]);
  });

  it('is reported again each minute, with how long it has lasted, and the question of a first answer', () => {
    const lines: string[] = [];
    const scheduler = new VirtualTimeScheduler();
    const failing = status({ state: 'retrying', attempt: 1, error: new Error('500 Oops') });
    concat(
      timer(0, 30_000, scheduler).pipe(
        take(5),
        map(() => failing),
      ),
      of(status({ state: 'live' }), failing),
    )
      .pipe(reportTrouble({ report: line => lines.push(line), question: 'is --from right?', scheduler }))
      .subscribe();
    scheduler.flush();
    deepStrictEqual(lines, [
      'retrying: 500 Oops; is --from right?',
      'retrying, for 60 s now: 500 Oops; is --from right?',
      'retrying, for 120 s now: 500 Oops; is --from right?',
      'live again',
      'retrying: 500 Oops',
    ]);
  });

  it('ends a command that gives up, once it has lasted without a pause', () => {
    const scheduler = new VirtualTimeScheduler();
    const at = (time: number, change: Partial<WatchStatus>) =>
      timer(time, scheduler).pipe(map(() => status(change)));
    const isLost = new TransportError('unreachable', 'no connection', { method: 'GET', url: 'http://a' });
    let ended: unknown;
    merge(
      at(0, { state: 'retrying', error: new Error('first') }),
      at(9_000, { state: 'live' }),
      at(20_000, { state: 'retrying', error: new Error('second') }),
      at(25_000, { state: 'offline', error: isLost }),
      NEVER,
    )
      .pipe(giveUpAfter(10_000, scheduler))
      .subscribe({
        error: (error: unknown) => {
          ended = error;
        },
      });
    scheduler.flush();
    const { message, code } = ended as ExitError;
    deepStrictEqual(
      [message, code, scheduler.now()],
      ['gave up after 10 s: no connection (GET http://a)', 3, 30_000],
    );
  });

  it('of one subscription says nothing about another', () => {
    const source = new Subject<WatchSignal<string>>();
    const reported$ = source.pipe(reportTrouble());
    const first = reported$.subscribe();
    first.unsubscribe();
    strictEqual(source.observed, false);
  });
});

describe('An answer that is unusual', () => {
  const service = useService();
  let poisoned: Server;
  let url: string;
  /** What the server answers to the n-th request of a path; nothing if there is no such answer. */
  const answers: string[] = [];
  beforeEach(async () => {
    answers.length = 0;
    poisoned = createServer((_, response) => {
      const answer = answers.shift();
      if (answer !== undefined) response.setHeader('content-type', 'application/json').end(answer);
    });
    await new Promise<void>(resolve => poisoned.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(poisoned.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    poisoned.close();
    poisoned.closeAllConnections();
  });
  const env = () => ({ LOBBY_RX_URL: url, LOBBY_RX_TOKEN: 'token' });

  it('does not stop events --checkpoint if it has 10,000 events', async () => {
    const event = JSON.stringify({ kind: { tick: 1 }, ts: '' });
    answers.push(
      '{"events":[],"watch":{"index":"1"}}',
      `{"events":[${Array(10_000).fill(event).join()}],"watch":{"index":"2"}}`,
    );
    const file = join(service.folder, 'checkpoint');
    const run = lobbyRx(['events', '--checkpoint', file], { env: env() });
    const isSaved = () =>
      readFile(file, 'utf8').then(
        text => text.startsWith('{"index":"2"'),
        () => false,
      );
    await waitUntil(async () => run.err() !== '' || (await isSaved()));
    run.process.kill('SIGTERM');
    const { code, out, err } = await run.exited;
    deepStrictEqual([code, err, out.split('\n').length], [0, '', 10_001]);
  });

  it('does not stop events --checkpoint if a payload is nested too deeply', async () => {
    const event = (n: number, payload: string) =>
      `{"kind":{"chat":${payload}},"ts":"2026-01-01T00:00:0${n}Z"}`;
    answers.push(
      '{"events":[],"watch":{"index":"1"}}',
      `{"events":[${event(1, nested(5_000))},${event(2, '"after"')}],"watch":{"index":"2"}}`,
      `{"events":[${event(3, '"later"')}],"watch":{"index":"3"}}`,
    );
    const file = join(service.folder, 'checkpoint');
    const run = lobbyRx(['events', '--checkpoint', file], { env: env() });
    await run.prints('later');
    run.process.kill('SIGTERM');
    const { code, out, err } = await run.exited;
    deepStrictEqual([code, err], [0, '']);
    const lines = out.trimEnd().split('\n');
    strictEqual(lines.length, 3);
    match(lines[0]!, /^\{"kind":"unknown",/);
    match(lines[0]!, WHOLE_OR_CUT);
    for (const line of lines) ok(JSON.parse(line));
  });

  it('does not stop members if a payload is nested too deeply', async () => {
    const presence = `{"status":"online","update_ts":"","game_activity":{"game":{"display_name":"","game_id":"","name_id":""},"message":"","public_metadata":${nested(5_000)}}}`;
    const member = `{"identity":{${JSON.stringify(handle).slice(1, -1)},"presence":${presence}}}`;
    answers.push(`{"members":[${member}],"watch":{"index":"1"}}`);
    const { code, out, err } = await lobbyRx(['members', 'g'], { env: env() }).exited;
    deepStrictEqual([code, err, out.split('\n').length], [0, '', 2]);
    match(out.trimEnd(), WHOLE_OR_CUT);
    ok(JSON.parse(out));
  });
});
