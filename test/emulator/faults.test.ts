import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { catchError, lastValueFrom, map, of, toArray } from 'rxjs';
import { createClient, fromFetch, isClientError, isTransportError, type Client } from 'lobby-rx';
import { createEmulator, listen, type Emulator, type EmulatorServer, type Fault } from 'lobby-rx/emulator';

describe('a fault', () => {
  let emulator: Emulator;
  let server: EmulatorServer;
  let client: Client;
  let me: { identity_id: string; token: string };
  let group_id: string;
  beforeEach(async () => {
    emulator = createEmulator({ collectTime: 0 });
    me = emulator.addIdentity();
    group_id = emulator.addGroup();
    emulator.join(group_id, me.identity_id);
    server = await listen(emulator);
    // A body that stalls is given up at once: nobody has to wait for that here.
    client = createClient({
      ...server,
      token: me.token,
      transport: fromFetch({ bodyDeadline: 0 }),
      deadline: 30,
    });
  });
  afterEach(() => server.close());

  /** What one listing of the group comes to. */
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

  it('of each kind shows over HTTP as what it is, once', async () => {
    const shown: readonly [Fault, string][] = [
      [{ kind: 'refuse' }, 'lost'],
      [{ kind: 'reset_before_headers' }, 'lost'],
      [{ kind: 'reset_in_body' }, 'lost'],
      [{ kind: 'close_in_body' }, 'lost'],
      [{ kind: 'stall_before_headers' }, 'deadline'],
      [{ kind: 'stall_in_body' }, 'lost'],
      [{ kind: 'truncated_json' }, 'DecodeError'],
      [{ kind: 'wrong_json' }, 'DecodeError'],
      [{ kind: 'html', status: 200 }, 'DecodeError'],
      [{ kind: 'html' }, 'StatusError 502'],
      [{ kind: 'empty' }, 'StatusError 500'],
      [{ kind: 'oversized' }, 'too_large'],
      [{ kind: 'rate_limited' }, 'StatusError 429'],
      [{ kind: 'unauthorized' }, 'StatusError 401'],
      [{ kind: 'redirect' }, 'redirected'],
      [{ kind: 'index_absurd' }, 'DecodeError'],
    ];
    for (const [fault, expected] of shown) {
      // A GET that dies on a kept socket is sent anew: each fault gets a connection of its own.
      await server.close();
      server = await listen(emulator);
      // Nine megabytes take their time on a busy machine.
      const [bodyDeadline, deadline] = fault.kind === 'oversized' ? [5_000, 5_000] : [10, 100];
      client = createClient({ ...server, token: me.token, transport: fromFetch({ bodyDeadline }), deadline });
      emulator.fault(fault);
      strictEqual(await outcome(), expected, JSON.stringify(fault));
    }
    strictEqual(await outcome(), 'fine');
    strictEqual(
      Object.values(emulator.befallen).reduce((all, count) => all + count, 0),
      shown.length,
    );
  });

  it('befalls as many requests as planned, those that are meant, with the probability given', async () => {
    emulator.fault({ kind: 'empty' }, { times: 0 });
    strictEqual(await outcome(), 'fine');
    emulator.fault({ kind: 'empty' }, { times: 2 });
    deepStrictEqual(
      [await outcome(), await outcome(), await outcome()],
      ['StatusError 500', 'StatusError 500', 'fine'],
    );

    const take = emulator.fault(
      { kind: 'empty' },
      { times: Infinity, only: ({ url }) => url.includes('/events/') },
    );
    strictEqual(await outcome(), 'fine');
    const { status } = (await lastValueFrom(client.events.watch()).catch(
      (error: unknown) => error as { status: number },
    )) as { status: number };
    strictEqual(status, 500);
    take();
    await lastValueFrom(client.events.watch());

    const before = emulator.befallen.html ?? 0;
    const stop = emulator.fault({ kind: 'html' }, { times: Infinity, probability: 0.5 });
    for (let i = 0; i < 200; i++) emulator.handle({ method: 'GET', url: '/', headers: {} }).subscribe();
    stop();
    const befallen = (emulator.befallen.html ?? 0) - before;
    ok(befallen > 60 && befallen < 140, String(befallen));
  });

  it('can be a habit of deployed servers', async () => {
    for (let i = 0; i < 20; i++) emulator.join(group_id, emulator.addIdentity().identity_id);
    const take = emulator.fault({ kind: 'count_ignored' }, { times: Infinity });
    const sizes$ = client.group
      .memberPages(group_id, { count: 3 })
      .pipe(map(({ members }) => members.length));
    deepStrictEqual(await lastValueFrom(sizes$.pipe(toArray())), [16]);
    take();

    const waiting = async (fault: Fault) => {
      const { watch } = await lastValueFrom(client.events.watch());
      for (const n of [1, 2, 3]) emulator.publish(me.identity_id, { tick: n });
      emulator.fault(fault);
      const { events } = await lastValueFrom(client.events.watch({ watch_index: watch.index }));
      return events.map(event => (event.kind === 'unknown' ? event.payload : event.kind));
    };
    deepStrictEqual(await waiting({ kind: 'last_event_only' }), [3]);
    deepStrictEqual(await waiting({ kind: 'retention_passed' }), []);
    deepStrictEqual(await waiting({ kind: 'hot' }), [1, 2, 3]);
  });
});
