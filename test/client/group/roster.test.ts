import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert';
import { array, assert as check, constantFrom, integer, nat, property, record } from 'fast-check';
import { map, NEVER, of, startWith, Subject, switchMap } from 'rxjs';
import { createClient, type GroupMember, type Roster, type Transport, type WatchSharing } from 'lobby-rx';
import { handle } from '../../payload.js';
import { runs } from '../../runs.js';
import { virtualTime } from '../../virtual-time.js';
import { virtualWorld } from '../../virtual-world.js';

/** A group in virtual time, and the rosters that were emitted so far. */
function stage(count: number | undefined, size: number) {
  const { emulator, identity_id, client, pass } = virtualWorld({ random: () => 0.5 });
  const group_id = emulator.addGroup();
  emulator.join(group_id, identity_id);
  const people = Array.from({ length: size }, () => emulator.addIdentity().identity_id);
  const seen: Roster[] = [];
  const watch = () =>
    client.group
      .roster(group_id, count === undefined ? {} : { count })
      .subscribe(roster => seen.push(roster));
  const truth = () => emulator.save().groups[0]![1].members.map(([id]) => id);
  return { emulator, identity_id, group_id, people, seen, watch, truth, pass };
}

const idsOf = (roster: Roster | undefined) => [...(roster?.members.keys() ?? [])].sort();
const idOf = ({ identity }: GroupMember) => identity.identity_id;

describe('a roster', () => {
  it('starts with the whole group, then reports who joined, left or changed', () => {
    const { emulator, identity_id, group_id, people, seen, watch, pass } = stage(undefined, 40);
    for (const id of people.slice(0, 30)) emulator.join(group_id, id);
    const watching = watch();
    pass(1_000);
    deepStrictEqual([seen.length, seen[0]?.members.size, seen[0]?.joined.length], [1, 31, 31]);

    emulator.join(group_id, people[35]!);
    pass(1_000);
    deepStrictEqual([seen.length, seen[1]?.joined.map(idOf), seen[1]?.members.size], [2, [people[35]], 32]);
    emulator.leave(group_id, people[3]!);
    pass(1_000);
    deepStrictEqual([seen.length, seen[2]?.left.map(idOf), seen[2]?.members.size], [3, [people[3]], 31]);
    emulator.updatePresence(people[5]!, { status: 'online' });
    pass(1_000);
    deepStrictEqual([seen.length, seen[3]?.updated.map(idOf)], [4, [people[5]]]);
    strictEqual(seen[3]?.members.get(people[5]!)?.identity.presence?.status, 'online');
    // A member that has not changed stays the same object throughout.
    strictEqual(seen[3].members.get(identity_id), seen[0]?.members.get(identity_id));
    pass(200_000);
    strictEqual(seen.length, 4);
    watching.unsubscribe();
    pass(1_000);
    strictEqual(emulator.requests.filter(({ pending }) => pending).length, 0);
  });

  it('does not report a member who moves to another page as left', () => {
    const { emulator, group_id, people, seen, watch, pass } = stage(5, 20);
    for (const id of people) emulator.join(group_id, id);
    const watching = watch();
    pass(5_000);
    emulator.leave(group_id, people[0]!);
    pass(10_000);
    watching.unsubscribe();
    deepStrictEqual(
      seen.slice(1).flatMap(({ left }) => left.map(idOf)),
      [people[0]],
    );
    deepStrictEqual(
      seen.slice(1).flatMap(({ joined }) => joined),
      [],
    );
  });

  it('ends up correct after any joins, leaves and changes, even during loading, and its steps add up', () => {
    const act = record({
      who: nat(29),
      what: constantFrom('join', 'leave', 'presence', 'profile'),
      pass: integer({ min: 0, max: 300 }),
    });
    check(
      property(array(act, { maxLength: 40 }), integer({ min: 1, max: 12 }), nat(20), (acts, count, first) => {
        const { emulator, group_id, people, seen, watch, truth, pass } = stage(count, 30);
        for (const id of people.slice(0, first)) emulator.join(group_id, id);
        const watching = watch();
        for (const { who, what, pass: ms } of acts) {
          const id = people[who]!;
          if (what === 'join') emulator.join(group_id, id);
          if (what === 'leave') emulator.leave(group_id, id);
          if (what === 'presence') emulator.updatePresence(id, { status: `s${ms}` });
          if (what === 'profile') emulator.updateProfile(id, { display_name: `n${ms}` });
          pass(ms);
        }
        // What is not watched is refreshed every minute.
        pass(65_000);
        deepStrictEqual(idsOf(seen.at(-1)), [...truth()].sort());
        const saved = new Map(emulator.save().identities);
        for (const [id, { identity }] of seen.at(-1)!.members) {
          const { profile } = saved.get(id)!;
          deepStrictEqual(
            [identity.display_name, identity.presence ?? null],
            [profile.display_name, profile.presence ?? null],
          );
        }
        const added = new Set<string>();
        for (const { joined, left, updated, members } of seen) {
          for (const member of left) ok(added.delete(idOf(member)));
          for (const member of joined) ok(!added.has(idOf(member)) && added.add(idOf(member)));
          for (const member of updated) ok(members.get(idOf(member)) === member);
          deepStrictEqual([...added].sort(), [...members.keys()].sort());
        }
        watching.unsubscribe();
      }),
      { numRuns: runs(300) },
    );
  });

  it('stops paging if a service ignores count and its second page repeats the first', () => {
    const everyone = [1, 2, 3].map(n => ({ identity: { ...handle, identity_id: `identity-${n}` } }));
    const asked: string[] = [];
    const transport: Transport = ({ url }) => {
      const query = new URL(url).searchParams;
      if (query.has('watch_index')) return NEVER;
      asked.push(String(query.get('anchor')));
      const members = query.has('anchor') ? everyone.slice(1) : everyone;
      const text = JSON.stringify({ members, anchor: '9', watch: { index: '1' } });
      return of({ status: 200, headers: { get: () => null }, text });
    };
    const url = 'https://service.example';
    const { scheduler, pass } = virtualTime();
    const client = createClient({
      groupUrl: url,
      matchmakerUrl: url,
      apiUrl: url,
      token: 't',
      transport,
      scheduler,
    });
    const seen: Roster[] = [];
    const watching = client.group.roster('g').subscribe(roster => seen.push(roster));
    pass(100);
    watching.unsubscribe();
    deepStrictEqual(seen.map(idsOf), [['identity-1', 'identity-2', 'identity-3']]);
    deepStrictEqual(asked, ['null', '9']);
  });

  const urls = {
    groupUrl: 'https://s.example',
    matchmakerUrl: 'https://s.example',
    apiUrl: 'https://s.example',
  };
  /** A service with these pages by anchor. `change` answers the blocked polls. */
  function book(pages: Record<string, { ids: string; anchor?: string }>) {
    const changed$ = new Subject<void>();
    const transport: Transport = ({ url }) => {
      const query = new URL(url).searchParams;
      const answer = () => {
        const { ids, anchor = null } = pages[query.get('anchor') ?? '']!;
        const members = Array.from(ids, id => ({ identity: { ...handle, identity_id: id } }));
        const text = JSON.stringify({ members, anchor, watch: { index: String(Math.random()).slice(2) } });
        return { status: 200, headers: { get: () => null }, text };
      };
      return query.has('watch_index') ? changed$.pipe(map(answer)) : of(0).pipe(map(answer));
    };
    const { scheduler, pass } = virtualTime();
    const client = createClient({ ...urls, token: 't', transport, scheduler });
    const turn = (ms = 100) => pass(ms);
    return { turn, pages, roster$: client.group.roster('g'), change: () => changed$.next() };
  }
  const summary = (roster: Roster) => {
    const ids = (members: readonly GroupMember[]) => members.map(idOf).join('');
    return `${[...roster.members.keys()].join('')} +${ids(roster.joined)} -${ids(roster.left)}`;
  };
  it('does not report a member who is on the next page as left, in any order of the pages', () => {
    const { turn, pages, roster$, change } = book({
      '': { ids: 'AB', anchor: 'b' },
      b: { ids: 'CD' },
      a: { ids: 'BCD' },
    });
    const seen: string[] = [];
    const watching = roster$.subscribe(roster => seen.push(summary(roster)));
    turn();
    pages[''] = { ids: 'ZA', anchor: 'a' };
    change();
    turn();
    watching.unsubscribe();
    deepStrictEqual(seen, ['ABCD +ABCD -', 'ABCDZ +Z -']);
  });

  it('follows a page to a new next page, even if its own members stay the same', () => {
    const { turn, pages, roster$, change } = book({
      '': { ids: 'AB', anchor: 'b' },
      b: { ids: 'CD' },
      b2: { ids: 'CE' },
    });
    const seen: string[] = [];
    const watching = roster$.subscribe(roster => seen.push(summary(roster)));
    turn(6_000);
    pages[''] = { ids: 'AB', anchor: 'b2' };
    change();
    turn(1_900);
    deepStrictEqual(seen, ['ABCD +ABCD -', 'ABCDE +E -']);
    // A leave counts if nothing else is announced for two seconds.
    turn(200);
    watching.unsubscribe();
    deepStrictEqual(seen.slice(2), ['ABCE + -D']);
  });

  it('keeps the pages after two whose members swap places', () => {
    const { turn, pages, roster$, change } = book({
      '': { ids: 'A', anchor: '1' },
      1: { ids: 'B', anchor: '2' },
      2: { ids: 'C' },
    });
    const seen: Roster[] = [];
    const watching = roster$.subscribe(roster => seen.push(roster));
    turn();
    pages[''] = { ids: 'B', anchor: '1' };
    pages['1'] = { ids: 'A', anchor: '2' };
    change();
    turn();
    watching.unsubscribe();
    deepStrictEqual(idsOf(seen.at(-1)), ['A', 'B', 'C']);
  });

  it('stops if anchors repeat, or if pages bring nobody any more, instead of sending requests forever', () => {
    const looping = book({
      '': { ids: 'A', anchor: 'a' },
      a: { ids: 'B', anchor: 'b' },
      b: { ids: 'C', anchor: 'a' },
    });
    const seen: string[] = [];
    const watching = looping.roster$.subscribe(roster => seen.push(summary(roster)));
    looping.turn();
    watching.unsubscribe();
    deepStrictEqual(seen, ['ABC +ABC -']);

    const asked = new Set<string | null>();
    const transport: Transport = ({ url }) => {
      const query = new URL(url).searchParams;
      asked.add(query.get('anchor'));
      if (query.has('watch_index')) return NEVER;
      const anchor = String(Number(query.get('anchor') ?? 0) + 1);
      const text = JSON.stringify({ members: [], anchor, watch: { index: '1' } });
      return of({ status: 200, headers: { get: () => null }, text });
    };
    const { scheduler, pass } = virtualTime();
    const client = createClient({ ...urls, token: 't', transport, scheduler });
    const sizes: number[] = [];
    const endless = client.group.roster('g').subscribe(({ members }) => sizes.push(members.size));
    pass(1_000);
    endless.unsubscribe();
    deepStrictEqual(sizes, [0]);
    ok(asked.size < 110, String(asked.size));
  });

  it('follows a group of more than a hundred pages to its end', () => {
    const { emulator, group_id, people, seen, watch, pass } = stage(1, 150);
    for (const id of people) emulator.join(group_id, id);
    const watching = watch();
    pass(1_000);
    watching.unsubscribe();
    strictEqual(seen.at(-1)?.members.size, 151);
  });

  it('is emitted once for all pages, even if they repeat a member, and not again if only the pages change', () => {
    const { turn, pages, roster$, change } = book({
      '': { ids: 'AB', anchor: 'b' },
      b: { ids: 'BCC' },
      b2: { ids: 'CB' },
    });
    const seen: string[] = [];
    const watching = roster$.subscribe(roster => seen.push(summary(roster)));
    turn();
    pages[''] = { ids: 'BA', anchor: 'b2' };
    change();
    turn();
    watching.unsubscribe();
    deepStrictEqual(seen, ['ABC +ABC -']);
  });

  it('requests the pages after a changed one again only if its anchor is new', () => {
    const { emulator, group_id, people, seen, watch, pass } = stage(5, 12);
    for (const id of people) emulator.join(group_id, id);
    const watching = watch();
    pass(5_000);
    const fresh = () => emulator.requests.filter(({ url }) => !url.includes('watch_index')).length;
    strictEqual(fresh(), 3);
    emulator.updatePresence(people[0]!, { status: 'online' });
    pass(5_000);
    deepStrictEqual(seen.at(-1)?.updated.map(idOf), [people[0]]);
    strictEqual(fresh(), 3);
    watching.unsubscribe();
  });

  it('limits its polls at a server that always answers at once with the same pages', () => {
    const asked: string[] = [];
    // All the ways in which a server may say that this is the last page.
    const ends = [{}, { anchor: '' }, { anchor: null }];
    const transport: Transport = ({ url }) => {
      const page = new URL(url).searchParams.get('anchor') ?? '';
      asked.push(page);
      const end = page === '1' ? ends[asked.length % 3] : { anchor: '1' };
      const members = [{ identity: { ...handle, identity_id: `identity-${page}` } }];
      const text = JSON.stringify({ members, ...end, watch: { index: String(asked.length) } });
      return of({ status: 200, headers: { get: () => null }, text });
    };
    for (const options of [{}, { backoff: undefined } as object]) {
      asked.length = 0;
      const { scheduler, pass } = virtualTime();
      const client = createClient({ ...urls, token: 't', transport, scheduler });
      const seen: Roster[] = [];
      const watching = client.group.roster('g', options).subscribe(roster => seen.push(roster));
      pass(60_000);
      watching.unsubscribe();
      strictEqual(seen.length, 1);
      const times = (page: string) => asked.filter(anchor => anchor === page).length;
      ok(times('') > 50 && times('') < 66, `${times('')} polls a minute`);
      ok(times('1') > 8 && times('1') < 15, `${times('1')} refreshes a minute`);
    }
  });

  /** A group of this many pages of one member each, and what its roster emits. */
  function paged(pages: number) {
    const { emulator, identity_id, client, pass } = virtualWorld({ random: () => 0 });
    const group_id = emulator.addGroup();
    const people = Array.from({ length: pages }, () => emulator.addIdentity().identity_id);
    emulator.join(group_id, identity_id);
    for (const id of people) emulator.join(group_id, id);
    const lines: string[] = [];
    const watching = client.group.rosterSignals(group_id, { count: 1 }).subscribe({
      next: signal => {
        if (signal.kind === 'status') lines.push(signal.status.state);
        else if (signal.kind === 'gap') lines.push(signal.gap.reason);
        else if (signal.kind === 'answer') lines.push(`${signal.answer.members.size}`);
      },
      error: (error: unknown) => lines.push((error as Error).name),
    });
    const pending = () => emulator.requests.filter(request => request.pending).length;
    return { client, emulator, group_id, people, lines, watching, pending, pass };
  }

  it('watches one page, and reads the others at each join and leave, and regularly', () => {
    const { emulator, group_id, people, lines, pending, pass, watching } = paged(9);
    pass(1_000);
    deepStrictEqual([lines, pending()], [['connecting', 'live', '10'], 1]);
    emulator.leave(group_id, people[7]!);
    pass(5_500);
    strictEqual(lines.length, 3);
    pass(2_000);
    strictEqual(lines.at(-1), '9');
    const before = emulator.requests.length;
    emulator.updatePresence(people[6]!, { status: 'online' });
    pass(50_000);
    strictEqual(lines.length, 4);
    pass(10_000);
    strictEqual(lines.length, 5);
    ok(emulator.requests.length - before < 20, String(emulator.requests.length - before));
    watching.unsubscribe();
    pass(1);
    strictEqual(pending(), 0);
  });

  it('knows at once who has left a group of a single page', () => {
    const { emulator, client, group_id, people, pass } = paged(4);
    const sizes: number[] = [];
    const watching = client.group.roster(group_id).subscribe(({ members }) => sizes.push(members.size));
    pass(1_000);
    emulator.leave(group_id, people[0]!);
    pass(500);
    watching.unsubscribe();
    deepStrictEqual(sizes, [5, 4]);
  });

  it('emits one status and one series of gaps for its watch and its refreshes, as a feed does', () => {
    const { emulator, lines, pass, watching } = paged(3);
    pass(1_000);
    emulator.fault({ kind: 'html', status: 503 }, { times: 40 });
    pass(65_000);
    strictEqual(lines.at(-1), 'retrying');
    const rest = emulator.fault({ kind: 'html', status: 503 }, { times: 1_000 });
    pass(320_000);
    rest();
    pass(60_000);
    deepStrictEqual(
      lines.filter(line => line === 'silence'),
      ['silence'],
    );
    deepStrictEqual(lines.slice(0, 3), ['connecting', 'live', '4']);
    strictEqual(lines.filter(line => line !== 'silence').at(-1), 'live');
    watching.unsubscribe();
  });

  it('shows the error if only its refreshes fail, begins them again as a whole, and is live again', () => {
    const { emulator, group_id, people, lines, pass, watching } = paged(5);
    pass(1_000);
    // The watch of the first page is held; each fourth request is of a refresh.
    emulator.leave(group_id, people[4]!);
    pass(5_050);
    emulator.fault({ kind: 'html', status: 503 }, { times: 3 });
    emulator.join(group_id, people[4]!);
    pass(60_000);
    deepStrictEqual(
      [lines.includes('retrying'), lines.at(-1), lines.filter(line => line === '6').length > 0],
      [true, 'live', true],
    );
    watching.unsubscribe();
  });

  it('emits each gap, even if the roster stays the same', () => {
    const { emulator, lines, pass, watching } = paged(3);
    pass(1_000);
    for (let outage = 0; outage < 2; outage++) {
      const rest = emulator.fault({ kind: 'html', status: 503 }, { times: 10_000 });
      pass(600_000);
      rest();
      pass(100_000);
    }
    watching.unsubscribe();
    deepStrictEqual(
      lines.filter(line => line === 'silence'),
      ['silence', 'silence'],
    );
  });

  it('ends as a feed does, with the status closed', () => {
    const { emulator, lines, pass, pending } = paged(3);
    pass(1_000);
    emulator.fault({ kind: 'error', status: 403 }, { times: 10 });
    pass(65_000);
    deepStrictEqual(lines, ['connecting', 'live', '4', 'closed', 'StatusError']);
    strictEqual(pending(), 0);
  });

  it('goes on although the service refuses a page, once the first page has been answered again', () => {
    for (const status of [400, 403, 404, 410]) {
      const { emulator, lines, pass, pending } = paged(3);
      pass(1_000);
      emulator.fault({ kind: 'error', status }, { times: 2, only: ({ url }) => url.includes('anchor=') });
      pass(600_000);
      deepStrictEqual(lines, ['connecting', 'live', '4'], `${status}`);
      ok(pending() > 0);
    }
  });

  it('is retrying once the service has refused a page three times in a row, and live when it answers again', () => {
    const { emulator, lines, pass } = paged(3);
    pass(1_000);
    emulator.fault({ kind: 'error', status: 404 }, { times: 3, only: ({ url }) => url.includes('anchor=') });
    pass(600_000);
    deepStrictEqual(lines, ['connecting', 'live', '4', 'retrying', 'live']);
  });

  it('ends with an error that says what to change if `recovery` returns no recovery for a page', () => {
    const answers = [
      [undefined, /recovery must be a function that returns an object at once, .+ that returned undefined/],
      [{ kind: 'again' }, /the kind of recovery must be a known one; got a string of 5 characters/],
    ] as const;
    for (const [answered, message] of answers) {
      const { emulator, identity_id, client, pass } = virtualWorld({ random: () => 0.5 });
      const group_id = emulator.addGroup();
      for (const id of [identity_id, emulator.addIdentity().identity_id]) emulator.join(group_id, id);
      const only = ({ url }: { readonly url: string }) => url.includes('anchor=');
      emulator.fault({ kind: 'error', status: 404 }, { times: 9, only });
      const errors: unknown[] = [];
      client.group
        .roster(group_id, { count: 1, recovery: () => answered as never })
        .subscribe({ error: (error: unknown) => errors.push(error) });
      pass(60_000);
      match(String(errors[0]), message);
    }
  });

  it('is polled calmly if the service has a new anchor in every answer, and answers at once', () => {
    let requests = 0;
    const transport: Transport = ({ url }) => {
      requests++;
      const page = Number((new URL(url).searchParams.get('anchor') ?? '0').split('-')[0]);
      const members = [{ identity: { ...handle, identity_id: `identity-${page}` } }];
      const anchor = page < 5 ? `${page + 1}-${requests}` : null;
      const text = JSON.stringify({ members, anchor, watch: { index: String(requests) } });
      return of({ status: 200, headers: { get: () => null }, text });
    };
    const { scheduler, pass } = virtualTime();
    const client = createClient({ ...urls, token: 't', transport, scheduler });
    const sizes: number[] = [];
    const watching = client.group.roster('g').subscribe(({ members }) => sizes.push(members.size));
    pass(60_000);
    watching.unsubscribe();
    deepStrictEqual(sizes, [6]);
    ok(requests < 60 * 8, `${requests} requests a minute`);
  });

  it('rejects the options that only fit a single watch', () => {
    const { group } = createClient({ ...urls, token: 't' });
    for (const name of ['from', 'ack', 'indexOf', 'read', 'keyOf']) {
      throws(
        () => group.roster('g', { [name]: () => undefined }),
        new RegExp(`^InputError: unknown option .${name}.\\.`),
      );
    }
    throws(() => group.roster('g', { count: 0 }), /^InputError: count must be a positive integer/);
  });

  it('is emitted at once for an empty group, without members', () => {
    const { turn, roster$ } = book({ '': { ids: '' } });
    const seen: string[] = [];
    const watching = roster$.subscribe(roster => seen.push(summary(roster)));
    turn();
    watching.unsubscribe();
    deepStrictEqual(seen, [' + -']);
  });
});

describe('a roster that is shared', () => {
  it('has the changes since the last roster, also when its watches begin anew', () => {
    const { emulator, identity_id, client, pass } = virtualWorld({ random: () => 0 });
    const group_id = emulator.addGroup();
    emulator.join(group_id, identity_id);
    const restart$ = new Subject<void>();
    const kinds: (boolean | undefined)[] = [];
    const share: WatchSharing = (watch, shared) => {
      kinds.push(shared?.isState);
      return restart$.pipe(
        startWith(undefined),
        switchMap(() => watch({})),
      );
    };
    const seen: string[] = [];
    client.group
      .roster(group_id, { share })
      .subscribe(({ members, joined, left }) =>
        seen.push(`${members.size} +${joined.length} -${left.length}`),
      );
    pass(500);
    restart$.next();
    pass(500);
    const { identity_id: other } = emulator.addIdentity();
    emulator.join(group_id, other);
    pass(500);
    restart$.next();
    emulator.leave(group_id, other);
    pass(500);
    deepStrictEqual([seen, kinds], [['1 +1 -0', '2 +1 -0', '1 +0 -1'], [true]]);
  });
});
