import '@angular/compiler';
import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { ApplicationRef, signal, TransferState } from '@angular/core';
import { TestBed } from '@angular/core/testing';
import { injectRoster } from 'lobby-rx/angular';
import { turns } from '../../turns.js';
import { angularApp, createWorld } from './angular-app.js';

describe('injectRoster', () => {
  afterEach(() => void TestBed.resetTestingModule());

  it('follows the group that it is asked for, and none while that is undefined', () => {
    const { component, pass, emulator, identity_id, group_id, openPolls } = angularApp();
    const wanted = signal<string | undefined>(undefined);
    const { value: roster, destroy } = component(() => injectRoster(wanted));
    pass(5_000);
    deepStrictEqual(
      [roster.value(), roster.status().state, emulator.requests.length],
      [undefined, 'idle', 0],
    );
    wanted.set(group_id);
    pass(5_000);
    deepStrictEqual([[...roster.value()!.keys()], roster.status().state], [[identity_id], 'live']);
    const other = emulator.addIdentity().identity_id;
    emulator.join(group_id, other);
    pass(1_000);
    deepStrictEqual([...roster.value()!.keys()], [identity_id, other]);
    const otherGroup = emulator.addGroup();
    emulator.join(otherGroup, identity_id);
    wanted.set(otherGroup);
    // Nobody takes the members of one group for those of the other, not even for a moment.
    strictEqual(roster.value(), undefined);
    pass(5_000);
    deepStrictEqual([roster.value()?.size, openPolls()], [1, 1]);
    wanted.set(undefined);
    pass(1_000);
    deepStrictEqual([roster.value(), openPolls()], [undefined, 0]);
    wanted.set(otherGroup);
    // It is old by now.
    strictEqual(roster.value(), undefined);
    wanted.set(group_id);
    pass(1_000);
    destroy();
    pass(999);
    strictEqual(openPolls(), 1);
    pass(1);
    strictEqual(openPolls(), 0);
  });

  it('is live with its members, as soon as an answer is there', () => {
    const { component, group_id } = angularApp();
    const roster = component(() => injectRoster(() => group_id)).value;
    TestBed.tick();
    deepStrictEqual([roster.status().state, roster.value()?.size], ['live', 1]);
  });

  it('watches a group once for all that show it with the same options', () => {
    const { component, pass, emulator, identity_id, group_id, openPolls } = angularApp();
    const show = () =>
      component(() =>
        injectRoster(
          () => group_id,
          () => ({ count: 50 }),
        ),
      );
    const shown = Array.from({ length: 6 }, show);
    const differently = component(() => injectRoster(() => group_id));
    pass(5_000);
    strictEqual(openPolls(), 2);
    strictEqual(emulator.requests.filter(({ url }) => url.includes('count=50')).length, 2);
    const other = emulator.addIdentity().identity_id;
    emulator.join(group_id, other);
    pass(1_000);
    const late = show();
    pass(10);
    for (const { value } of [...shown, late])
      deepStrictEqual([...value.value()!.keys()], [identity_id, other]);
    strictEqual(late.value.value(), shown[0]!.value.value());
    const shownLate = late.value.value();
    const mend = emulator.fault({ kind: 'html', status: 503 }, { times: 1_000 });
    pass(62_000);
    strictEqual(late.value.status().state, 'retrying');
    // The same roster, with another status.
    strictEqual(late.value.value(), shownLate);
    mend();
    for (const { value } of [...shown, late, differently]) value.reload();
    pass(3_000);
    strictEqual(late.value.status().state, 'live');
    strictEqual(openPolls(), 2);
    for (const { destroy } of [...shown, differently]) destroy();
    pass(1_000);
    strictEqual(openPolls(), 1);
    late.destroy();
    pass(1_000);
    strictEqual(openPolls(), 0);
    // What is shown again after that is read again.
    strictEqual(show().value.value(), undefined);
    pass(5_000);
    strictEqual(openPolls(), 1);
  });

  it('reloads for all that show it, also those for which it has ended', () => {
    const { component, pass, emulator, identity_id } = angularApp();
    const [one, another] = [1, 2].map(() => component(() => injectRoster(() => 'later')).value);
    pass(5_000);
    deepStrictEqual([one!.status().state, another!.status().state], ['closed', 'closed']);
    emulator.addGroup({ group_id: 'later' });
    emulator.join('later', identity_id);
    one!.reload();
    pass(5_000);
    for (const { value, status, error } of [one!, another!])
      deepStrictEqual([value()?.size, status().state, error()], [1, 'live', undefined]);
  });

  it('waits for as long as the service asks it to, however often it is reloaded', () => {
    const { component, pass, emulator, group_id } = angularApp();
    const roster = component(() => injectRoster(() => group_id)).value;
    pass(5_000);
    emulator.fault({ kind: 'rate_limited', wait: 60_000, form: 'metadata' });
    emulator.join(group_id, emulator.addIdentity().identity_id);
    pass(5_000);
    const { attempt } = roster.status();
    const asked = emulator.requests.length;
    for (let i = 0; i < 20; i++) {
      roster.reload();
      pass(200);
    }
    deepStrictEqual(
      [roster.status().state, roster.status().attempt, emulator.requests.length],
      ['retrying', attempt, asked],
    );
  });

  it('keeps the last value while it is retrying, with its status, and without an error of its own', () => {
    const { component, pass, emulator, group_id } = angularApp();
    const roster = component(() => injectRoster(() => group_id)).value;
    pass(5_000);
    strictEqual(roster.error(), undefined);
    const mend = emulator.fault({ kind: 'html', status: 503 }, { times: 1_000 });
    emulator.join(group_id, emulator.addIdentity().identity_id);
    pass(5_000);
    deepStrictEqual(
      [roster.value()?.size, roster.status().state, (roster.status().error as { status: number }).status],
      [2, 'retrying', 503],
    );
    deepStrictEqual([roster.error(), roster.isLoading(), roster.hasValue()], [undefined, false, true]);
    deepStrictEqual([roster.value()?.size], [2]);
    mend();
    roster.reload();
    pass(3_000);
    deepStrictEqual([roster.value()?.size, roster.status().state, roster.error()], [2, 'live', undefined]);
  });

  it('is closed by an error that polling cannot fix, never throws, and can be reloaded', () => {
    const { component, pass, emulator } = angularApp();
    const roster = component(() => injectRoster(() => 'nowhere')).value;
    pass(5_000);
    const codes = () => [roster.status().state, (roster.error() as { code?: string }).code];
    deepStrictEqual([roster.value(), ...codes()], [undefined, 'closed', 'GROUP_NOT_FOUND']);
    const { length } = emulator.requests;
    roster.reload();
    pass(5_000);
    deepStrictEqual([emulator.requests.length - length, ...codes()], [1, 'closed', 'GROUP_NOT_FOUND']);
  });

  it('has the error of an invalid config, or of a callback that throws', async () => {
    for (const platform of ['browser', 'server'] as const) {
      const { component, pass } = angularApp({ platform });
      const misspelt = component(() =>
        injectRoster(
          () => 'g',
          () => ({ cuont: 5 }) as object,
        ),
      ).value;
      const empty = component(() => injectRoster(() => '')).value;
      pass(1_000);
      await turns(1);
      for (const { status, error } of [misspelt, empty])
        deepStrictEqual([status().state, (error() as Error).name], ['closed', 'InputError'], platform);
      TestBed.resetTestingModule();
    }
  });

  it('calls a config that has thrown again when it is reloaded', () => {
    const { component, pass, group_id } = angularApp();
    let calls = 0;
    const config = () => {
      calls++;
      if (calls === 1) throw new Error('not yet');
      return {};
    };
    const roster = component(() => injectRoster(() => group_id, config)).value;
    pass(1_000);
    deepStrictEqual([roster.status().state, String(roster.error())], ['closed', 'Error: not yet']);
    roster.reload();
    pass(5_000);
    deepStrictEqual([roster.value()?.size, roster.error()], [1, undefined]);
  });

  it('is read once on a server, which waits for it, and is shown at once in the browser', async () => {
    const world = createWorld();
    const { group_id, identity_id, emulator } = world;
    const server = angularApp({ platform: 'server', world });
    const onServer = server.component(() =>
      injectRoster(
        () => group_id,
        () => ({ count: 1 }),
      ),
    ).value;
    emulator.join(group_id, emulator.addIdentity().identity_id);
    server.pass(0);
    await turns(1);
    server.pass(1_000);
    deepStrictEqual([onServer.value()?.size, onServer.status().state], [2, 'live']);
    // The page after the last member is empty.
    deepStrictEqual([server.openPolls(), emulator.requests.length], [0, 3]);
    const transferState = TestBed.inject(TransferState).toJson();
    TestBed.resetTestingModule();

    const browser = angularApp({ world, transferState });
    const handedOver = TestBed.inject(TransferState);
    const [one, other] = [1, 2].map(() => browser.component(() => injectRoster(() => group_id)).value);
    deepStrictEqual([one!.value()?.size, one!.value()?.has(identity_id)], [2, true]);
    const shown = new Set<string>();
    const show = () => {
      for (const { value, status } of [one!, other!]) shown.add(`${value()?.size} ${status().state}`);
    };
    show();
    for (let i = 0; i < 20; i++) {
      browser.pass(100);
      show();
    }
    deepStrictEqual([...shown], ['2 live']);
    // By now, it is old.
    strictEqual(handedOver.isEmpty, true);
  });

  it('shows that the service fails, with the members from the server', async () => {
    const world = createWorld();
    const { emulator, group_id } = world;
    const server = angularApp({ platform: 'server', world });
    server.component(() => injectRoster(() => group_id));
    server.pass(0);
    await turns(1);
    const transferState = TestBed.inject(TransferState).toJson();
    TestBed.resetTestingModule();

    emulator.fault({ kind: 'error', status: 503 }, { times: 100 });
    const browser = angularApp({ world, transferState });
    const roster = browser.component(() => injectRoster(() => group_id)).value;
    strictEqual(roster.status().state, 'live');
    browser.pass(2_000);
    deepStrictEqual([roster.value()?.size, roster.status().state], [1, 'retrying']);
  });

  it('does not let a server wait for a dead service, and leaves nothing there', () => {
    const { component, pass, emulator, group_id, openPolls } = angularApp({ platform: 'server' });
    emulator.fault({ kind: 'stall_before_headers' }, { times: 10 });
    const roster = component(() => injectRoster(() => group_id)).value;
    let isStable = true;
    TestBed.inject(ApplicationRef).isStable.subscribe(next => {
      isStable = next;
    });
    pass(1_900);
    strictEqual(isStable, false);
    pass(200);
    strictEqual(isStable, true);
    const { length } = emulator.requests;
    pass(50_000);
    deepStrictEqual(
      [openPolls(), emulator.requests.length - length, roster.value(), roster.status().state],
      [0, 0, undefined, 'connecting'],
    );
  });

  it('never takes an answer of the last group for one of the next, however late Angular hears of the change', () => {
    const { component, pass, scheduler, emulator, group_id, identity_id } = angularApp();
    const other = emulator.addGroup();
    emulator.join(other, identity_id);
    const wanted = signal<string | undefined>(group_id);
    const { value: roster } = component(() => injectRoster(wanted));
    pass(5_000);
    emulator.join(group_id, emulator.addIdentity().identity_id);
    wanted.set(other);
    // The answer comes before the effect runs.
    scheduler.maxFrames = scheduler.now() + 1_000;
    scheduler.flush();
    strictEqual(roster.value(), undefined);
    pass(5_000);
    strictEqual(roster.value()?.size, 1);
  });

  it('has the error of a function that cannot say which group is wanted', async () => {
    for (const platform of ['browser', 'server'] as const) {
      const { component, pass, group_id } = angularApp({ platform });
      const wanted = signal<string | undefined>(undefined);
      const roster = component(() =>
        injectRoster(() => {
          const id = wanted();
          if (id === undefined) throw new Error('not yet');
          return id;
        }),
      ).value;
      pass(1_000);
      deepStrictEqual(
        [roster.value(), roster.status().state, String(roster.error())],
        [undefined, 'closed', 'Error: not yet'],
      );
      wanted.set(group_id);
      pass(0);
      await turns(1);
      pass(5_000);
      deepStrictEqual([roster.value()?.size, roster.error()], [1, undefined]);
      TestBed.resetTestingModule();
    }
  });

  it('keeps an application stable while it reads the pages after the first one', () => {
    const world = createWorld();
    const { emulator, group_id } = world;
    const { component, pass } = angularApp({ world });
    for (let i = 0; i < 30; i++) emulator.join(group_id, emulator.addIdentity().identity_id);
    const roster = component(() =>
      injectRoster(
        () => group_id,
        () => ({ count: 5, refreshInterval: 10_000 }),
      ),
    ).value;
    pass(5_000);
    strictEqual(roster.value()?.size, 31);
    const { length } = emulator.requests;
    const stable: boolean[] = [];
    TestBed.inject(ApplicationRef).isStable.subscribe(isStable => stable.push(isStable));
    // Without rendering, for which an application is unstable for a moment.
    world.pass(60_000);
    ok(emulator.requests.length - length > 20);
    deepStrictEqual(stable, [true]);
  });
});
