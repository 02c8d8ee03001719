import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { test } from 'vitest';
import { useRoster } from './use-roster';
import { createWorld, live } from './world';

test('React', async () => {
  const world = createWorld();
  function Members({ group_id }: { group_id: string }) {
    const { roster, status, error } = useRoster(world.client, group_id);
    const names = [...(roster?.members.values() ?? [])].map(({ identity }) => identity.display_name);
    return <p>{error ? 'The members cannot be shown.' : `${status?.state} ${names.join()}`}</p>;
  }
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  await live(world, {
    show: group_id =>
      root.render(
        <StrictMode>
          <Members group_id={group_id} />
        </StrictMode>,
      ),
    remove: () => root.unmount(),
  });
});
