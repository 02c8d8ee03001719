import '@angular/compiler';
import { deepStrictEqual, strictEqual, throws } from 'node:assert';
import { resourceFromSnapshots, signal } from '@angular/core';
import { TestBed } from '@angular/core/testing';
import { injectRoster, toResource } from 'lobby-rx/angular';
import { angularApp } from './angular-app.js';

describe('toResource', () => {
  afterEach(() => void TestBed.resetTestingModule());

  it('is idle without a group, then loading, then resolved, also while the watch retries', () => {
    const { component, pass, emulator, group_id } = angularApp();
    const wanted = signal<string | undefined>(undefined);
    const { roster, members } = component(() => {
      const injected = injectRoster(wanted);
      return { roster: injected, members: toResource(injected) };
    }).value;
    const shown = () => [members.status(), members.isLoading(), members.hasValue(), members.error()];
    pass(0);
    deepStrictEqual(shown(), ['idle', false, false, undefined]);
    const mend = emulator.fault({ kind: 'stall_before_headers' }, { times: 2 });
    wanted.set(group_id);
    pass(100);
    deepStrictEqual(shown(), ['loading', true, false, undefined]);
    mend();
    pass(100_000);
    deepStrictEqual(shown(), ['resolved', false, true, undefined]);
    strictEqual(members.value(), roster.value());
    emulator.fault({ kind: 'html', status: 503 }, { times: 1_000 });
    pass(100_000);
    deepStrictEqual([roster.status().state, ...shown()], ['retrying', 'resolved', false, true, undefined]);
  });

  it('has the error of a watch that has ended; its value throws, as that of Angular’s own', () => {
    const { component, pass, emulator, identity_id } = angularApp();
    const { roster, members, ownKind } = component(() => {
      const injected = injectRoster(() => 'no such group');
      const resource = toResource(injected);
      return { roster: injected, members: resource, ownKind: resourceFromSnapshots(resource.snapshot) };
    }).value;
    pass(5_000);
    strictEqual(roster.status().state, 'closed');
    deepStrictEqual(
      [members.status(), members.error(), members.hasValue()],
      ['error', roster.error(), false],
    );
    throws(() => members.value(), /The members are not known: 404 GROUP_NOT_FOUND/);
    deepStrictEqual([ownKind.status(), ownKind.error()], ['error', roster.error()]);
    emulator.addGroup({ group_id: 'no such group' });
    emulator.join('no such group', identity_id);
    roster.reload();
    pass(5_000);
    deepStrictEqual([members.status(), members.value()?.size], ['resolved', 1]);
    deepStrictEqual([ownKind.status(), ownKind.value()?.size], ['resolved', 1]);
  });

  it('has an Error for what was thrown and is none', () => {
    const { component, pass } = angularApp();
    const { value: members } = component(() =>
      toResource(
        injectRoster(() => {
          throw { code: 5 } as never;
        }),
      ),
    );
    pass(0);
    deepStrictEqual(members.error()?.cause, { code: 5 });
    deepStrictEqual(members.snapshot().status, 'error');
  });
});

describe('the signals of an Angular application', () => {
  afterEach(() => void TestBed.resetTestingModule());

  it('have names that Angular DevTools show', () => {
    const { component, group_id } = angularApp();
    const roster = component(() => injectRoster(() => group_id)).value;
    // In development, a signal prints its name.
    deepStrictEqual(
      [roster.value, roster.status, roster.error, roster.isLoading].map(
        each => /roster\.\w+/.exec(String(each))?.[0],
      ),
      ['roster.value', 'roster.status', 'roster.error', 'roster.isLoading'],
    );
  });
});
