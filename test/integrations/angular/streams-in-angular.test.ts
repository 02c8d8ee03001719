import '@angular/compiler';
import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert';
import { linkedSignal, resource, signal, type Signal } from '@angular/core';
import { rxResource, toSignal } from '@angular/core/rxjs-interop';
import { TestBed } from '@angular/core/testing';
import { concatMap, firstValueFrom, Observable, of } from 'rxjs';
import type { IdentityUpdateEvent } from 'lobby-rx';
import { injectFeed, injectLobbyClient, injectRoster } from 'lobby-rx/angular';
import { waitUntil } from '../../wait-until.js';
import { angularApp } from './angular-app.js';

// The rows of the table of docs/angular.md: what Angular does with a stream, and what to write
// instead.
describe('a stream in Angular’s own hands', () => {
  afterEach(() => void TestBed.resetTestingModule());

  it('throws from toSignal once it has failed, each time; a roster has its error', () => {
    const { component, pass } = angularApp();
    const failed = component(() => toSignal(injectLobbyClient().group.roster('nowhere'))).value;
    const roster = component(() => injectRoster(() => 'nowhere')).value;
    pass(5_000);
    throws(() => failed());
    throws(() => failed());
    deepStrictEqual([roster.value(), roster.status().state], [undefined, 'closed']);
    ok(roster.error());
  });

  it('keeps its last value in toSignal when it completes, without a word; a roster is closed', () => {
    const { component, pass, group_id } = angularApp();
    const client = component(() => injectLobbyClient()).value;
    const last = component(() => toSignal(client.group.roster(group_id))).value;
    const roster = component(() => injectRoster(() => group_id)).value;
    pass(5_000);
    client.close();
    pass(0);
    deepStrictEqual([last()?.members.size, roster.status().state], [1, 'closed']);
  });

  it('ends for good when an rxResource is set; a roster is kept up to date', async () => {
    const { component, pass, emulator, group_id, openPolls } = angularApp();
    const { value: resource } = component(() => {
      const client = injectLobbyClient();
      return rxResource({ stream: () => client.group.roster(group_id) });
    });
    pass(5_000);
    await Promise.resolve();
    strictEqual(openPolls(), 1);
    resource.set(resource.value());
    pass(1_000);
    strictEqual(openPolls(), 0);
    const roster = component(() => injectRoster(() => group_id)).value;
    pass(1_000);
    emulator.join(group_id, emulator.addIdentity().identity_id);
    pass(1_000);
    deepStrictEqual([resource.value()?.members.size, roster.value()?.size], [1, 2]);
  });

  it('loses its members in an rxResource that fails; a roster keeps them', async () => {
    const { component, pass, emulator, group_id } = angularApp();
    const { value: resource } = component(() => {
      const client = injectLobbyClient();
      return rxResource({ stream: () => client.group.roster(group_id) });
    });
    const roster = component(() => injectRoster(() => group_id)).value;
    pass(5_000);
    await Promise.resolve();
    strictEqual(resource.value()?.members.size, 1);
    emulator.fault({ kind: 'error', status: 403 }, { times: 2 });
    pass(60_000);
    deepStrictEqual([resource.status(), resource.hasValue()], ['error', false]);
    throws(() => resource.value());
    deepStrictEqual([roster.status().state, roster.value()?.size], ['closed', 1]);
  });

  it('stays resolved in an rxResource whose stream completes; a roster is closed', async () => {
    const { component, pass, group_id } = angularApp();
    const client = component(() => injectLobbyClient()).value;
    const resource = component(() => rxResource({ stream: () => client.group.roster(group_id) })).value;
    const roster = component(() => injectRoster(() => group_id)).value;
    pass(5_000);
    await Promise.resolve();
    client.close();
    pass(0);
    deepStrictEqual([resource.status(), resource.value()?.members.size], ['resolved', 1]);
    strictEqual(roster.status().state, 'closed');
  });

  it('is read once by a resource; a roster is kept up to date', async () => {
    const { component, pass, emulator, group_id } = angularApp();
    const { value: once } = component(() => {
      const client = injectLobbyClient();
      return resource({ loader: () => firstValueFrom(client.group.roster(group_id)) });
    });
    const roster = component(() => injectRoster(() => group_id)).value;
    pass(5_000);
    await waitUntil(() => once.status() === 'resolved');
    emulator.join(group_id, emulator.addIdentity().identity_id);
    pass(5_000);
    deepStrictEqual([once.value()?.members.size, roster.value()?.size], [1, 2]);
  });

  it('is a request that a resource does not abort; an rxResource does', async () => {
    let open = 0;
    const transport = () =>
      new Observable<never>(() => {
        open++;
        return () => open--;
      });
    const { component, pass, group_id } = angularApp({ config: { transport } });
    const client = component(() => injectLobbyClient()).value;
    const loader = () => firstValueFrom(client.group.getMembers({ group_id }));
    const unaborted = component(() => resource({ loader }));
    const aborted = component(() => rxResource({ stream: () => client.group.getMembers({ group_id }) }));
    pass(0);
    await waitUntil(() => open === 2);
    unaborted.destroy();
    strictEqual(open, 2);
    aborted.destroy();
    strictEqual(open, 1);
  });

  it('is counted once by a linkedSignal if three events come at once; `on` hears of each', () => {
    const { component, pass, emulator, identity_id } = angularApp();
    const counts = component(() => {
      const client = injectLobbyClient();
      const feed = injectFeed();
      const heard = signal(0);
      feed.on('identity_update', () => heard.update(count => count + 1));
      const last = toSignal(client.events.feed.identityUpdate$.pipe(concatMap(event => of(event))));
      const linked: Signal<number> = linkedSignal<IdentityUpdateEvent | undefined, number>({
        source: last,
        computation: (event, before) => (before?.value ?? 0) + (event ? 1 : 0),
      });
      return { linked, heard };
    }).value;
    pass(5_000);
    strictEqual(counts.linked(), 0);
    for (const bio of ['a', 'b', 'c']) emulator.updateProfile(identity_id, { bio });
    pass(1_000);
    deepStrictEqual([counts.linked(), counts.heard()], [1, 3]);
  });

  it('ends with the component that shows it, in toSignal as in a roster', () => {
    const { component, pass, group_id, openPolls } = angularApp();
    const one = component(() => toSignal(injectLobbyClient().group.roster(group_id)));
    const other = component(() => injectRoster(() => group_id));
    pass(5_000);
    strictEqual(openPolls(), 2);
    one.destroy();
    other.destroy();
    pass(1_000);
    strictEqual(openPolls(), 0);
  });
});
