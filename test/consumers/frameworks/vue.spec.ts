import { expect, test } from 'vitest';
import { createApp, createSSRApp, h, shallowRef } from 'vue';
import { renderToString } from 'vue/server-renderer';
import Roster from './VueLobby.vue';
import { createWorld, live } from './world';

test('Vue', async () => {
  const world = createWorld();
  const group_id = shallowRef('');
  const app = createApp({
    render: () => group_id.value && h(Roster, { client: world.client, group_id: group_id.value }),
  });
  app.mount(document.body.appendChild(document.createElement('div')));
  await live(world, {
    show: id => {
      group_id.value = id;
    },
    remove: () => app.unmount(),
  });
});

test('Vue on a server', async () => {
  const { emulator, client, groups } = createWorld();
  const html = await renderToString(createSSRApp(Roster, { client, group_id: groups[0]! }));
  expect(html).toContain('<p>');
  expect(emulator.requests).toEqual([]);
});
