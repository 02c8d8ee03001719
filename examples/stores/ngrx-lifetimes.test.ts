// What docs/angular.md says of NgRx: a stream lives as long as its store, and entities that are
// merely set stay.
import '@angular/compiler';
import { deepStrictEqual, strictEqual } from 'node:assert';
import { createEnvironmentInjector, Injector, type EnvironmentInjector } from '@angular/core';
import { patchState, signalStore, type, withMethods } from '@ngrx/signals';
import { entityConfig, setAllEntities, setEntities, withEntities } from '@ngrx/signals/entities';
import { rxMethod } from '@ngrx/signals/rxjs-interop';
import { createClient, type GroupMember } from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';
import { pipe, switchMap, tap } from 'rxjs';

const ROOT = Injector.NULL as EnvironmentInjector;

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 5));
}

describe('a stream in NgRx', () => {
  const emulator = createEmulator({ collectTime: 0 });
  const ada = emulator.addIdentity({ display_name: 'Ada' });
  const grace = emulator.addIdentity({ display_name: 'Grace' });
  const group_id = emulator.addGroup();
  for (const { identity_id } of [ada, grace]) emulator.join(group_id, identity_id);
  const { url, transport } = emulator;
  const client = createClient({ url, transport, token: ada.token, watch: { linger: 0 } });
  after(() => client.close());

  it('is kept open by rxMethod in a store of root; in a store of the component it ends', async () => {
    const LobbyStore = signalStore(
      withMethods(() => ({ follow: rxMethod<string>(switchMap(id => client.group.roster(id))) })),
    );
    const openPolls = () => emulator.requests.filter(({ pending }) => pending).length;
    const root = createEnvironmentInjector([LobbyStore], ROOT);
    const component = createEnvironmentInjector([], root);
    component.get(LobbyStore).follow(group_id);
    await waitUntil(() => openPolls() === 1);
    component.destroy();
    strictEqual(openPolls(), 1);
    root.destroy();
    strictEqual(openPolls(), 0);

    const providing = createEnvironmentInjector([LobbyStore], ROOT);
    providing.get(LobbyStore).follow(group_id);
    await waitUntil(() => openPolls() === 1);
    providing.destroy();
    strictEqual(openPolls(), 0);
  });

  it('leaves members who have left in withEntities, unless all entities are set', async () => {
    const members = entityConfig({
      entity: type<GroupMember>(),
      selectId: ({ identity }: GroupMember) => identity.identity_id,
    });
    const LobbyStore = signalStore(
      withEntities(members),
      withMethods(store => ({
        setThose: (all: Iterable<GroupMember>) => patchState(store, setEntities([...all], members)),
        setAll: (all: Iterable<GroupMember>) => patchState(store, setAllEntities([...all], members)),
      })),
      withMethods(store => ({
        followByThose: rxMethod<string>(
          pipe(
            switchMap(id => client.group.roster(id)),
            tap(roster => store.setThose(roster.members.values())),
          ),
        ),
        followByAll: rxMethod<string>(
          pipe(
            switchMap(id => client.group.roster(id)),
            tap(roster => store.setAll(roster.members.values())),
          ),
        ),
      })),
    );
    const injectors = [1, 2].map(() => createEnvironmentInjector([LobbyStore], ROOT));
    const [those, all] = injectors.map(injector => injector.get(LobbyStore));
    const namesOf = (store: typeof those) => store!.entities().map(({ identity }) => identity.display_name);
    those!.followByThose(group_id);
    all!.followByAll(group_id);
    await waitUntil(() => namesOf(those).length === 2 && namesOf(all).length === 2);
    const { identity_id } = emulator.addIdentity({ display_name: 'Hedy' });
    emulator.leave(group_id, grace.identity_id);
    emulator.join(group_id, identity_id);
    await waitUntil(() => namesOf(those).includes('Hedy') && namesOf(all).includes('Hedy'));
    deepStrictEqual(namesOf(all), ['Ada', 'Hedy']);
    deepStrictEqual(namesOf(those), ['Ada', 'Grace', 'Hedy']);
    for (const injector of injectors) injector.destroy();
  });
});
