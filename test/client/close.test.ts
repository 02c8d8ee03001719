import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert';
import { merge, NEVER, Observable, of, repeat, Subject, take, type ObservableInput } from 'rxjs';
import { createClient, getMembers, eventsWatch, TransportError, type Transport } from 'lobby-rx';
import { virtualTime } from '../virtual-time.js';
import { virtualWorld } from '../virtual-world.js';

/** How a stream ended: with which error, if any. */
function endOf(source$: Observable<unknown>) {
  const seen: string[] = [];
  source$.subscribe({
    error: (error: unknown) => seen.push(error instanceof TransportError ? error.reason : String(error)),
    complete: () => seen.push('complete'),
  });
  return seen;
}

function stage() {
  const world = virtualWorld({ random: () => 0.5 });
  const group_id = world.emulator.addGroup();
  world.emulator.join(group_id, world.identity_id);
  const pending = () => world.emulator.requests.filter(request => request.pending).length;
  return { ...world, group_id, pending };
}

/** Every stream over time that a client has. */
const streamsOf = ({ client, group_id }: Pick<ReturnType<typeof stage>, 'client' | 'group_id'>) => [
  client.events.feed.all$,
  client.events.feed.on('identity_update'),
  client.events.createFeed().all$,
  client.events.batches(),
  client.watch(getMembers, { group_id }),
  client.watchSignals(eventsWatch, {}),
  client.group.watchMembers(group_id),
  client.group.roster(group_id),
  client.group.rosterSignals(group_id),
];

describe('a client that is closed', () => {
  it('completes all of its streams over time, and those that are subscribed to later at once', () => {
    const world = stage();
    const streams = streamsOf(world);
    const ends = streams.map(endOf);
    world.pass(3_000);
    ok(world.pending() > 5);
    world.client.close();
    deepStrictEqual(ends, Array<string[]>(streams.length).fill(['complete']));
    deepStrictEqual(streamsOf(world).map(endOf), ends);
    strictEqual(world.pending(), 0);
    const sent = world.emulator.requests.length;
    world.client.close();
    world.pass(100_000);
    strictEqual(world.emulator.requests.length, sent);
  });

  it('leaves no timer behind, wherever it is closed from', () => {
    for (const from of ['a subscriber', 'outside'] as const) {
      const { scheduler, pass } = virtualTime();
      const transport: Transport = ({ url }) =>
        url.includes('watch_index')
          ? NEVER
          : of({
              status: 200,
              headers: { get: () => null },
              text: '{"events":[{"kind":{"x":1},"ts":"1"}],"members":[],"watch":{"index":"7"}}',
            });
      const client = createClient({ url: 'https://a.example', token: 't', transport, scheduler });
      const ends = endOf(merge(...streamsOf({ client, group_id: 'g' })));
      if (from === 'a subscriber') client.events.feed.all$.subscribe(() => client.close());
      pass(1);
      client.close();
      pass(1_100);
      deepStrictEqual([ends, scheduler.actions.length], [['complete'], 0]);
    }
  });

  it('sends nothing if a subscriber subscribes again at the end of a stream, and does not linger', () => {
    const world = virtualWorld({ random: () => 0.5 });
    const { client, emulator, identity_id, pass, scheduler } = world;
    const feed = client.events.createFeed({ linger: 0 });
    const visits = feed.all$.pipe(take(1), repeat(10)).subscribe();
    const lingering = client.events.createFeed({ linger: 60_000 }).all$.subscribe();
    pass(3_000);
    emulator.publish(identity_id, { n: 1 });
    pass(100);
    const sent = emulator.requests.length;
    client.close();
    pass(0);
    deepStrictEqual([visits.closed, lingering.closed, emulator.requests.length], [true, true, sent]);
    deepStrictEqual(scheduler.actions.length, 0);
  });

  it('closes the status of each feed, even of feeds whose subscribers have left', () => {
    const { client, pass } = virtualWorld({ random: () => 0.5 });
    const states = Array.from({ length: 200 }, () => {
      const feed = client.events.createFeed();
      const seen: string[] = [];
      feed.status$.subscribe(({ state }) => seen.push(state));
      feed.all$.subscribe().unsubscribe();
      return { feed, seen };
    });
    pass(2_000);
    client.close();
    deepStrictEqual([...new Set(states.map(({ seen }) => seen.at(-1)))], ['closed']);
  });

  it('closes the status of its feed without an error', () => {
    const { client, pass } = stage();
    const states: unknown[] = [];
    client.events.feed.status$.subscribe(({ state, error }) => states.push([state, error]));
    client.events.feed.all$.subscribe();
    pass(500);
    client.close();
    pass(5_000);
    deepStrictEqual(states.at(-1), ['closed', undefined]);
  });

  it('fails its open requests with `client_closed`, or with `lost` if the service may have acted', () => {
    const sent: string[] = [];
    const transport: Transport = ({ method }) => {
      sent.push(method);
      return NEVER;
    };
    const token$ = new Subject<string>();
    const clientWith = (get: () => ObservableInput<string>) =>
      createClient({ url: 'https://a.example', token: { get: get as never, renew: () => '' }, transport });
    const all = (client: ReturnType<typeof clientWith>) => [
      client.group.getMembers({ group_id: 'g' }),
      client.events.watch({ watch_index: '7' }),
      client.group.members('g'),
      client.group.memberPages('g', { backoff: {} }),
      client.pages(getMembers, { group_id: 'g' }),
      client.matchmaker.players.connected({ player_token: 'p' }),
    ];
    const client = clientWith(() => of('t'));
    const open = all(client).map(endOf);
    client.close();
    const closed = Array<string[]>(5).fill(['client_closed']);
    deepStrictEqual(open, [...closed, ['lost']]);
    const before = sent.length;
    deepStrictEqual(all(client).map(endOf), [...closed, ['client_closed']]);
    const waiting = clientWith(() => token$);
    const ends = all(waiting).map(endOf);
    waiting.close();
    deepStrictEqual(ends, [...closed, ['client_closed']]);
    deepStrictEqual([sent.length, token$.observed], [before, false]);
  });

  it('drops its open requests without an error if `requests` is `drop`, and rejects any other option', () => {
    const { client, emulator, group_id, pass, pending } = stage();
    emulator.fault({ kind: 'stall_before_headers' }, { times: 2 });
    const ends = [client.group.getMembers({ group_id }), client.group.memberPages(group_id)].map(endOf);
    throws(() => client.close({ requests: 'forget' } as never), /requests must be 'fail' or 'drop'/);
    throws(() => client.close({ request: 'drop' } as never), /did you mean `requests`/);
    client.close({ requests: 'drop' });
    ends.push(endOf(client.group.getMembers({ group_id })));
    pass(100_000);
    deepStrictEqual([ends, pending()], [[[], [], []], 0]);
  });

  it('emits closed$ before its streams complete, also to later subscribers', () => {
    const { client } = stage();
    const seen: string[] = [];
    client.events.feed.all$.subscribe({ complete: () => seen.push('feed') });
    client.closed$.subscribe(() => seen.push('closed'));
    client.close();
    client.closed$.subscribe({ next: () => seen.push('again'), complete: () => seen.push('complete') });
    deepStrictEqual(seen, ['closed', 'feed', 'again', 'complete']);
  });

  it('fails a walk that waits between two pages, at once', () => {
    const { scheduler, pass } = virtualTime();
    const transport: Transport = () => of({ status: 503, headers: { get: () => null }, text: '' });
    const client = createClient({ url: 'https://a.example', token: 't', transport, scheduler });
    const end = endOf(client.group.members('g', { backoff: {} }));
    pass(5_000);
    client.close();
    deepStrictEqual([end, scheduler.actions.length], [['client_closed'], 0]);
  });

  it('commits nothing of an acknowledgement that has not settled', () => {
    const { client, emulator, identity_id, pass } = stage();
    let isOpen = false;
    const ack = () =>
      new Observable<never>(() => {
        isOpen = true;
        return () => {
          isOpen = false;
        };
      });
    const end = endOf(client.events.batches({ ack }));
    pass(100);
    emulator.publish(identity_id, { x: 1 });
    pass(1_000);
    const before = isOpen;
    client.close();
    deepStrictEqual([before, isOpen, end], [true, false, ['complete']]);
  });

  it('closes none of the clients of `as`, nor does one of those close it', () => {
    const { client, emulator, pass } = stage();
    const other = client.as(emulator.addIdentity().token);
    const [own, others] = [endOf(client.events.batches()), endOf(other.events.batches())];
    other.close();
    pass(100);
    deepStrictEqual([own, others], [[], ['complete']]);
    const third = client.as(emulator.addIdentity().token);
    const thirds: string[] = [];
    third.events.feed.status$.subscribe(({ state }) => thirds.push(state));
    client.close();
    third.events.feed.all$.subscribe();
    deepStrictEqual([own, thirds], [['complete'], ['idle', 'connecting', 'live']]);
  });
});

describe('a client that is to try now', () => {
  /** A service that is down; `headers` of its answers, and when it was asked. */
  function down(headers: Record<string, string> = {}) {
    const { scheduler, pass } = virtualTime();
    const asked: number[] = [];
    const transport: Transport = () => {
      asked.push(scheduler.now());
      return of({ status: 503, headers: { get: name => headers[name.toLowerCase()] ?? null }, text: '' });
    };
    const client = createClient({
      url: 'https://a.example',
      token: 't',
      transport,
      scheduler,
      testing: { random: () => 0.99 },
      watch: { backoff: { initial: 600_000, max: 600_000 } },
    });
    return { client, pass, asked, scheduler };
  }

  it('polls within a second where a watch, a feed or a roster backs off', () => {
    const { client, pass, asked } = down();
    const watching = merge(
      client.events.batches(),
      client.events.feed.all$,
      client.group.roster('g'),
      client.events.batches({ wake$: NEVER }),
    ).subscribe();
    pass(10_000);
    strictEqual(asked.length, 4);
    client.wake();
    pass(1_000);
    strictEqual(asked.length, 8);
    client.as('other').wake();
    pass(5_000);
    strictEqual(asked.length, 8);
    watching.unsubscribe();
    client.wake();
  });

  it('does not shorten a wait that the service has asked for', () => {
    const { client, pass, asked } = down({ 'retry-after': '60' });
    const watching = client.events.batches().subscribe();
    pass(10_000);
    client.wake();
    pass(40_000);
    strictEqual(asked.length, 1);
    watching.unsubscribe();
  });
});
