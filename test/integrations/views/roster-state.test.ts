import { deepStrictEqual, notStrictEqual, ok, strictEqual, throws } from 'node:assert';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { concat, EMPTY, filter, forkJoin, NEVER, of, take } from 'rxjs';
import { createClient, isStatusError, type WatchSharing } from 'lobby-rx';
import type { EmulatedRequest } from 'lobby-rx/emulator';
import { rosterState, type RosterState } from 'lobby-rx/views';
import { handle } from '../../payload.js';
import { virtualTime } from '../../virtual-time.js';
import { heard, viewsWorld } from './views-world.js';

const textOf = ({ members, status }: RosterState) => `${status.state} ${members?.size ?? '-'}`;

describe('the state of a group', () => {
  it('is idle until the first subscriber, and once the last has been gone for `linger`', () => {
    const { client, group_id, openPolls, pass } = viewsWorld();
    const state = rosterState(client, group_id);
    strictEqual(textOf(state.value), 'idle -');
    const { lines, leave } = heard(state, textOf);
    pass(1_000);
    deepStrictEqual(lines, ['connecting -', 'live 1']);
    leave();
    pass(999);
    strictEqual(textOf(state.value), 'live 1');
    pass(1);
    deepStrictEqual([textOf(state.value), openPolls()], ['idle -', 0]);
    deepStrictEqual(lines.length, 2);
  });

  it('has its members as soon as an answer of the service is there, before any timer', () => {
    const { client, group_id, pass } = viewsWorld();
    const state = rosterState(client, group_id);
    heard(state, textOf);
    pass(0);
    strictEqual(textOf(state.value), 'live 1');
  });

  it('is not live before all pages have been read, and says so if they cannot be', () => {
    const { client, emulator, group_id, pass } = viewsWorld();
    for (let i = 0; i < 5; i++) emulator.join(group_id, emulator.addIdentity().identity_id);
    // The first page is answered.
    const only = ({ url }: EmulatedRequest) => url.includes('anchor=');
    emulator.fault({ kind: 'error', status: 500 }, { times: 2, only });
    const { lines } = heard(rosterState(client, group_id, { count: 2 }), textOf);
    pass(10_000);
    deepStrictEqual(lines, ['connecting -', 'retrying -', 'retrying -', 'live 6']);
  });

  it('is live again with the members of the answer that ends a failure', () => {
    const { client, emulator, group_id, pass } = viewsWorld();
    const { lines } = heard(rosterState(client, group_id), textOf);
    pass(1_000);
    emulator.fault({ kind: 'error', status: 500 }, { times: 2 });
    emulator.join(group_id, emulator.addIdentity().identity_id);
    pass(1_000);
    emulator.join(group_id, emulator.addIdentity().identity_id);
    pass(10_000);
    deepStrictEqual(lines, ['connecting -', 'live 1', 'live 2', 'retrying 2', 'retrying 2', 'live 3']);
  });

  it('is live again with an answer after a failure, although nobody has come or left', () => {
    const { scheduler, pass } = virtualTime();
    const members = [{ identity: handle }];
    const answers = [200, 500, 200].map((status, i) => ({
      status,
      headers: { get: () => null },
      text: JSON.stringify({ members, watch: { index: String(i) } }),
    }));
    const client = createClient({
      url: 'https://service.example',
      token: 't',
      renders: false,
      transport: () => {
        const answer = answers.shift();
        return answer ? of(answer) : NEVER;
      },
      scheduler,
    });
    const { lines } = heard(rosterState(client, 'g'), textOf);
    // No poll has been held for long enough to show that the service is well.
    pass(1_900);
    deepStrictEqual(lines, ['connecting -', 'live 1', 'retrying 1', 'live 1']);
  });

  it('is not live before its members have come from another tab, which may say that it is live first', () => {
    const { client, group_id, pass } = viewsWorld();
    // The first word of another tab is its status; what it knows comes after.
    const late: WatchSharing = watch => {
      const signal$ = watch({});
      return concat(
        signal$.pipe(
          filter(signal => signal.kind === 'status' && signal.status.state === 'live'),
          take(1),
        ),
        signal$,
      );
    };
    const { lines } = heard(rosterState(client, group_id, { share: late }), textOf);
    pass(5_000);
    deepStrictEqual(lines, ['connecting -', 'live 1']);
  });

  it('is neither begun nor ended by who has gone before they subscribe', () => {
    const { client, group_id, pass } = viewsWorld();
    const state = rosterState(client, group_id);
    const { leave } = heard(state, textOf);
    pass(1_000);
    leave();
    pass(500);
    forkJoin([EMPTY, state]).subscribe();
    pass(400);
    // It would have been forgotten while this one is there.
    heard(state, textOf);
    pass(5_000);
    strictEqual(textOf(state.value), 'live 1');
  });

  it('says what is known at once to whoever comes later, and then the same to all', () => {
    const { client, emulator, group_id, pass } = viewsWorld();
    const state = rosterState(client, group_id);
    const seen: RosterState[][] = [[], []];
    state.subscribe(value => seen[0]!.push(value));
    pass(1_000);
    state.subscribe(value => seen[1]!.push(value));
    strictEqual(seen[1]![0], state.value);
    const requests = emulator.requests.length;
    emulator.join(group_id, emulator.addIdentity().identity_id);
    pass(1_000);
    deepStrictEqual(
      seen.map(values => textOf(values.at(-1)!)),
      ['live 2', 'live 2'],
    );
    strictEqual(seen[0]!.at(-1), seen[1]!.at(-1));
    strictEqual(emulator.requests.length, requests + 1);
    // A value that has not changed is the same object, so that nothing is rendered for it.
    const before = state.value;
    pass(200_000);
    strictEqual(state.value, before);
  });

  it('is the same for the same group and options, written out or not', () => {
    const { client, group_id } = viewsWorld();
    const [one, other]: WatchSharing[] = [watch => watch({}), watch => watch({})];
    const state = rosterState(client, group_id);
    strictEqual(rosterState(client, group_id, { count: 1_000, refreshInterval: 60_000 }), state);
    notStrictEqual(rosterState(client, group_id, { count: 10 }), state);
    notStrictEqual(rosterState(client, 'another'), state);
    const shared = rosterState(client, group_id, { share: one! });
    strictEqual(rosterState(client, group_id, { share: one! }), shared);
    notStrictEqual(rosterState(client, group_id, { share: other! }), shared);
    notStrictEqual(rosterState(client.as('t'), group_id), state);
  });

  it('is `closed` with the error and its members, which begins nothing, until it is reloaded', () => {
    const { client, emulator, group_id, openPolls, pass, refuse } = viewsWorld();
    const state = rosterState(client, group_id);
    const first = heard(state, textOf);
    pass(1_000);
    const allow = refuse();
    pass(70_000);
    strictEqual(first.lines.at(-1), 'closed 1');
    ok(isStatusError(state.value.status.error));
    const requests = emulator.requests.length;
    const second = heard(state, textOf);
    first.leave();
    pass(100_000);
    deepStrictEqual([second.lines, emulator.requests.length], [['closed 1'], requests]);
    allow();
    state.reload();
    state.reload();
    pass(1_000);
    deepStrictEqual(second.lines, ['closed 1', 'connecting 1', 'live 1']);
    strictEqual(openPolls(), 1);
  });

  it('begins again for the next subscriber if it is reloaded by nobody who shows it', () => {
    const { client, group_id, pass, refuse } = viewsWorld();
    const state = rosterState(client, group_id);
    const allow = refuse();
    const { leave } = heard(state, textOf);
    pass(1_000);
    allow();
    leave();
    strictEqual(textOf(state.value), 'closed -');
    state.reload();
    strictEqual(textOf(state.value), 'idle -');
    heard(state, textOf);
    pass(1_000);
    strictEqual(textOf(state.value), 'live 1');
  });

  it('can be reloaded by the subscriber that hears that it is closed', () => {
    const { client, group_id, openPolls, pass, refuse } = viewsWorld();
    const state = rosterState(client, group_id);
    let reloads = 0;
    const lines: string[] = [];
    const allow = refuse();
    state.subscribe(value => {
      lines.push(textOf(value));
      if (value.status.state !== 'closed' || ++reloads > 2) return;
      if (reloads === 2) allow();
      state.reload();
    });
    pass(10_000);
    deepStrictEqual([reloads, lines.at(-1), openPolls()], [2, 'live 1', 1]);
  });

  it('polls at once when it is reloaded while it is retrying', () => {
    const { client, emulator, group_id, pass } = viewsWorld();
    const state = rosterState(client, group_id);
    const { lines } = heard(state, textOf);
    pass(1_000);
    const end = emulator.fault({ kind: 'error', status: 500 }, { times: Infinity });
    while (state.value.status.attempt < 5) pass(1_000);
    end();
    const requests = emulator.requests.length;
    state.reload();
    pass(5_000);
    ok(emulator.requests.length > requests);
    strictEqual(lines.at(-1), 'live 1');
  });

  it('completes when the client is closed, without members and without an error, and at once from then on', () => {
    const { client, group_id, openPolls, pass } = viewsWorld();
    const state = rosterState(client, group_id);
    const { lines } = heard(state, textOf);
    pass(1_000);
    client.close();
    deepStrictEqual(lines.slice(-2), ['closed -', 'complete']);
    strictEqual(state.value.status.error, undefined);
    deepStrictEqual(heard(state, textOf).lines, ['closed -', 'complete']);
    deepStrictEqual(heard(rosterState(client, 'another'), textOf).lines.slice(-2), ['closed -', 'complete']);
    strictEqual(openPolls(), 0);
  });

  it('emits the newest last to all its subscribers, whatever one of them does with it', () => {
    const { client, group_id, pass, refuse } = viewsWorld();
    const state = rosterState(client, group_id);
    const lines: string[][] = [[], [], []];
    const come = () => state.subscribe(now => lines[2]!.push(textOf(now)));
    state.subscribe(value => {
      lines[0]!.push(textOf(value));
      if (value.status.state !== 'closed' || lines[2]!.length > 0) return;
      // One that comes meanwhile hears of the newest as well.
      come();
      state.reload();
    });
    state.subscribe(value => lines[1]!.push(textOf(value)));
    pass(1_000);
    const allow = refuse();
    pass(70_000);
    allow();
    client.close();
    for (const heardBy of lines) deepStrictEqual(heardBy.at(-1), 'closed -');
    const closings = lines.map(heardBy => heardBy.filter(line => line === 'closed 1').length);
    // What the first has replaced when it was told is not told to the others.
    deepStrictEqual(closings, [2, 1, 2]);
  });

  for (const linger of [0, 1_000]) {
    it(`leaves no request if its subscriber leaves as soon as it is told, with a linger of ${linger} ms`, () => {
      const { emulator, group_id, openPolls, pass, scheduler } = viewsWorld();
      const { token } = emulator.addIdentity();
      const client = createClient({
        ...emulator.urls,
        transport: emulator.transport,
        scheduler,
        token,
        renders: false,
        watch: { linger },
      });
      const state = rosterState(client, group_id);
      const { lines } = heard(state.pipe(take(1)), textOf);
      deepStrictEqual(lines, ['connecting -', 'complete']);
      pass(linger);
      deepStrictEqual([openPolls(), textOf(state.value)], [0, 'idle -']);
    });
  }

  it('takes no memory for states that nobody holds, and is the same while somebody does', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { client, group_id } = viewsWorld();
    const held = rosterState(client, group_id);
    const heap = async (from: number) => {
      for (let i = from; i < from + 10_000; i++) rosterState(client, `group ${i}`);
      // What a WeakRef has returned lives until the end of the job.
      await new Promise(setImmediate);
      collect();
      return process.memoryUsage().heapUsed / 2 ** 20;
    };
    const before = await heap(0);
    const grown = (await heap(10_000)) - before;
    ok(grown < 1, `${grown} MB`);
    strictEqual(rosterState(client, group_id), held);
  });

  it('refuses what is no option, before anything is sent', () => {
    const { client, group_id } = viewsWorld();
    throws(() => rosterState(client, group_id, { count: 0 }), /count/);
    throws(() => rosterState(client, group_id, { refresh: 1 } as object), /refreshInterval/);
    throws(() => rosterState(undefined as never, group_id), /client/);
  });
});
