import { mount, unmount } from 'svelte';
import { test } from 'vitest';
import SvelteLobby from './SvelteLobby.svelte';
import Shown from './Shown.svelte';
import { createWorld, live } from './world';

test('Svelte', async () => {
  const world = createWorld();
  const props = { component: SvelteLobby, client: world.client, first: world.groups[0]! };
  const shown = mount(Shown, { target: document.body, props });
  await live(world, { show: id => shown.show(id), remove: () => void unmount(shown) });
});
