import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage, type RequestOptions } from 'node:http';
import { catchError, lastValueFrom, map, of, toArray, type VirtualTimeScheduler } from 'rxjs';
import {
  createClient,
  fromFetch,
  isClientError,
  isFromService,
  isStatusError,
  isTransportError,
  type Client,
} from 'lobby-rx';
import { createEmulator, listen, type Emulator, type EmulatorServer, type Fault } from 'lobby-rx/emulator';
import { virtualTime } from '../../../virtual-time.js';

/** An error page has neither a code nor a ray id. */
const NOTHING = [undefined, undefined];
/** Longer than any other timeout, in ms. */
const TIMEOUT = 1_000_000_000;

describe('a fault', () => {
  // Requests over HTTP are real, but time is virtual: nothing times out on a busy machine.
  let scheduler: VirtualTimeScheduler;
  let pass: (ms: number) => void;
  let emulator: Emulator;
  let server: EmulatorServer;
  let client: Client;
  let me: { identity_id: string; token: string };
  let group_id: string;
  beforeEach(async () => {
    ({ scheduler, pass } = virtualTime());
    emulator = createEmulator({ scheduler });
    me = emulator.addIdentity();
    group_id = emulator.addGroup();
    emulator.join(group_id, me.identity_id);
    server = await listen(emulator);
    client = overHttp();
  });
  afterEach(() => server.close());

  const settings = () => ({ token: me.token, timeout: TIMEOUT, scheduler });
  const overHttp = () => createClient({ ...server.urls, ...settings(), transport: fromFetch({ scheduler }) });
  const inProcess = () => createClient({ ...emulator.urls, ...settings(), transport: emulator.transport });

  /** The outcome of one request for the members of the group. */
  const outcome = () =>
    lastValueFrom(
      client.group.getMembers({ group_id }).pipe(
        map(() => 'fine'),
        catchError((error: unknown) => {
          ok(isClientError(error));
          return of(
            isTransportError(error)
              ? error.reason
              : `${error._tag} ${'status' in error ? error.status : ''}`.trim(),
          );
        }),
      ),
    );

  /** The same. Once the emulator has answered, time advances in steps until there is an outcome. */
  const outcomeAfter = async (step: number) => {
    const before = emulator.requests.length;
    const outcomes: string[] = [];
    void outcome().then(one => outcomes.push(one));
    while (outcomes.length === 0) {
      await new Promise(setImmediate);
      if (emulator.requests.length > before && !emulator.requests.at(-1)!.pending) pass(step);
    }
    return outcomes[0];
  };

  it('of each kind has the expected effect once, over HTTP and in process', async () => {
    const expectations: readonly [Fault, string, step?: number][] = [
      [{ kind: 'reset_before_request' }, 'lost'],
      [{ kind: 'reset_before_headers' }, 'lost'],
      [{ kind: 'reset_in_body' }, 'lost'],
      [{ kind: 'close_in_body' }, 'lost'],
      [{ kind: 'stall_before_headers' }, 'timeout', TIMEOUT],
      [{ kind: 'dead_pool' }, 'timeout', TIMEOUT],
      // In small steps: the body timeout starts when the client has received the headers.
      [{ kind: 'stall_in_body' }, 'lost', 1_000],
      [{ kind: 'truncated_json' }, 'DecodeError'],
      [{ kind: 'wrong_json' }, 'DecodeError'],
      [{ kind: 'html', status: 200 }, 'DecodeError'],
      [{ kind: 'html' }, 'StatusError 502'],
      [{ kind: 'empty' }, 'StatusError 500'],
      [{ kind: 'empty', status: 304 }, 'StatusError 304'],
      [{ kind: 'oversized' }, 'too_large'],
      [{ kind: 'rate_limited' }, 'StatusError 429'],
      [{ kind: 'unauthorized' }, 'UnauthorizedError'],
      [{ kind: 'redirect' }, 'redirected'],
      [{ kind: 'index_absurd' }, 'fine'],
    ];
    for (const [fault, expected, step] of expectations) {
      // A GET that fails on a reused socket is sent again, so each fault gets a new connection.
      await server.close();
      server = await listen(emulator);
      for (const connect of [overHttp, inProcess]) {
        client = connect();
        emulator.fault(fault);
        const actual = await (step === undefined ? outcome() : outcomeAfter(step));
        strictEqual(actual, expected, `${connect.name}: ${JSON.stringify(fault)}`);
      }
    }
    client = overHttp();
    strictEqual(await outcome(), 'fine');
    strictEqual(
      Object.values(emulator.faultCounts).reduce((all, count) => all + count, 0),
      2 * expectations.length,
    );
  });

  it('leaves preflights alone, whatever it selects, unless it is about them', async () => {
    const preflight = () => fetch(`${server.url}/v1/groups/g/members`, { method: 'OPTIONS' });
    emulator.fault({ kind: 'html' }, { only: ({ url }) => url.includes('/groups/') });
    strictEqual((await preflight()).status, 204);
    strictEqual(await outcome(), 'StatusError 502');
    emulator.fault({ kind: 'preflight' });
    strictEqual(await outcome(), 'fine');
    const refused = await preflight();
    deepStrictEqual([refused.status, refused.headers.get('access-control-allow-origin')], [403, null]);
    strictEqual((await preflight()).status, 204);
  });

  it('can be the page of an ingress, at once, without anything that the service would send', async () => {
    for (const status of [400, 403, 404, 502, 503, 504]) {
      emulator.fault({ kind: 'html', status });
      const error: unknown = await lastValueFrom(client.group.getMembers({ group_id })).catch(
        (e: unknown) => e,
      );
      ok(isStatusError(error));
      deepStrictEqual(
        [error.status, error.code, error.rayId, isFromService(error)],
        [status, ...NOTHING, false],
      );
    }
  });

  it('can be a dead pool: all open connections hang, and new ones work', async () => {
    const agent = new Agent({ keepAlive: true });
    const ask = (path: string, more: RequestOptions = {}) => {
      const headers = { authorization: `Bearer ${me.token}` };
      const asked = request(`${server.url}${path}`, { headers, agent, ...more });
      const answered = once(asked, 'response').then(([response]: unknown[]) => {
        (response as IncomingMessage).resume();
        return (response as IncomingMessage).statusCode;
      });
      answered.catch(() => undefined);
      asked.end();
      return { asked, answered };
    };
    const path = `/v1/groups/${group_id}/members`;
    const { watch } = await lastValueFrom(client.events.watch());
    const polls = emulator.requests.length;
    const pending = ask(`/identity/events/live?watch_index=${watch.index}`);
    while (!emulator.requests[polls]) await new Promise(setImmediate);
    // Two kept sockets: this one hangs because of the fault, and takes the one of the pending poll
    // with it.
    emulator.fault({ kind: 'dead_pool' });
    const hanging = ask(path);
    while (emulator.faultCounts.dead_pool !== 1) await new Promise(setImmediate);
    emulator.publish(me.identity_id, { tick: 1 });
    pass(1_000);
    // A new connection is answered after what the dead ones would have been sent.
    strictEqual(await ask(path, { agent: false }).answered, 200);
    const outcomes = await Promise.all(
      [pending, hanging].map(({ answered }) => Promise.race([answered, Promise.resolve('hangs')])),
    );
    deepStrictEqual(outcomes, ['hangs', 'hangs']);
    for (const { asked } of [pending, hanging]) asked.destroy();
    agent.destroy();
  });

  it('can repeat thousands of events, again and again, and loses none that came meanwhile', async () => {
    const { watch: first } = await lastValueFrom(client.events.watch());
    for (let n = 0; n < 3_000; n++) emulator.publish(me.identity_id, { tick: n });
    const all = await lastValueFrom(client.events.watch({ watch_index: first.index }));
    strictEqual(all.events.length, 3_000);
    emulator.publish(me.identity_id, { tick: 'new' });
    const withdraw = emulator.fault({ kind: 'repeat' }, { times: Infinity });
    for (let i = 0; i < 5; i++) {
      deepStrictEqual(await lastValueFrom(client.events.watch({ watch_index: all.watch.index })), all);
    }
    withdraw();
    strictEqual(
      (await lastValueFrom(client.events.watch({ watch_index: all.watch.index }))).events.length,
      1,
    );
  });

  it('repeats the last events even if they came from a watch that never blocks', async () => {
    const { watch: first } = await lastValueFrom(client.events.watch());
    emulator.publish(me.identity_id, { tick: 1 });
    const one = await lastValueFrom(client.events.watch({ watch_index: first.index }));
    emulator.publish(me.identity_id, { tick: 2 });
    emulator.fault({ kind: 'hot' });
    const two = await lastValueFrom(client.events.watch({ watch_index: one.watch.index }));
    emulator.fault({ kind: 'repeat' });
    deepStrictEqual(await lastValueFrom(client.events.watch({ watch_index: two.watch.index })), two);
  });

  it('affects as many requests as planned, only selected ones, with the given probability', async () => {
    emulator.fault({ kind: 'empty' }, { times: 0 });
    strictEqual(await outcome(), 'fine');
    emulator.fault({ kind: 'empty' }, { times: 2 });
    deepStrictEqual(
      [await outcome(), await outcome(), await outcome()],
      ['StatusError 500', 'StatusError 500', 'fine'],
    );

    const withdraw = emulator.fault(
      { kind: 'empty' },
      { times: Infinity, only: ({ url }) => url.includes('/events/') },
    );
    strictEqual(await outcome(), 'fine');
    const { status } = (await lastValueFrom(client.events.watch()).catch(
      (error: unknown) => error as { status: number },
    )) as { status: number };
    strictEqual(status, 500);
    withdraw();
    await lastValueFrom(client.events.watch());

    const stop = emulator.fault({ kind: 'html' }, { times: Infinity, probability: 0.5 });
    for (let i = 0; i < 200; i++) emulator.handle({ method: 'GET', url: '/', headers: {} }).subscribe();
    stop();
    const count = emulator.faultCounts.html ?? 0;
    ok(count > 60 && count < 140, String(count));
  });

  it('takes any path, also one that is no URL', async () => {
    const emulator = createEmulator();
    for (const [url, status] of [
      ['//[', 404],
      ['*', 400],
    ] as const) {
      emulator.fault({ kind: 'repeat' });
      const answer = await lastValueFrom(emulator.handle({ method: 'GET', url, headers: {} }));
      strictEqual(answer.status, status);
    }
  });

  it('can be a quirk of deployed servers', async () => {
    for (let i = 0; i < 20; i++) emulator.join(group_id, emulator.addIdentity().identity_id);
    const withdraw = emulator.fault({ kind: 'count_ignored' }, { times: Infinity });
    const sizes$ = client.group
      .memberPages(group_id, { count: 3 })
      .pipe(map(({ members }) => members.length));
    deepStrictEqual(await lastValueFrom(sizes$.pipe(toArray())), [16]);
    withdraw();

    const eventsAfter = async (fault: Fault) => {
      const { watch } = await lastValueFrom(client.events.watch());
      for (const n of [1, 2, 3]) emulator.publish(me.identity_id, { tick: n });
      emulator.fault(fault);
      const { events } = await lastValueFrom(client.events.watch({ watch_index: watch.index }));
      return events.map(event => (event.kind === 'unknown' ? event.payload : event.kind));
    };
    deepStrictEqual(await eventsAfter({ kind: 'last_event_only' }), [3]);
    deepStrictEqual(await eventsAfter({ kind: 'retention_passed' }), []);
    deepStrictEqual(await eventsAfter({ kind: 'hot' }), [1, 2, 3]);
  });
});
