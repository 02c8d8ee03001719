import { test } from 'vitest';
import { createApp, h, shallowRef } from 'vue';
import Roster from './VueRoster.vue';
import { createWorld, live } from './world';

test('Vue', async () => {
  const world = createWorld();
  const group_id = shallowRef('');
  const app = createApp({
    render: () => group_id.value && h(Roster, { client: world.client, group_id: group_id.value }),
  });
  app.mount(document.body.appendChild(document.createElement('div')));
  await live(world, { show: id => (group_id.value = id), remove: () => app.unmount() });
});
