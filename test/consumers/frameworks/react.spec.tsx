import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { test } from 'vitest';
import { Lobby } from './Lobby';
import { createWorld, live } from './world';

test('React', async () => {
  const world = createWorld();
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  await live(world, {
    show: group_id =>
      root.render(
        <StrictMode>
          <Lobby client={world.client} group_id={group_id} />
          <Lobby client={world.client} group_id={group_id} />
        </StrictMode>,
      ),
    remove: () => root.unmount(),
  });
});
