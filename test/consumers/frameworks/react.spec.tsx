import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test } from 'vitest';
import { reload$ } from './roster-state';
import { useRoster } from './use-roster';
import { createWorld, live } from './world';

test('React', async () => {
  const world = createWorld();
  const frames: { readonly group_id: string; readonly names: readonly string[] }[] = [];
  function Members({ group_id }: { group_id: string }) {
    const { roster, status } = useRoster(world.client, group_id);
    const names = [...(roster?.members.values() ?? [])].map(({ identity }) => identity.display_name);
    frames.push({ group_id, names });
    if (status?.state === 'closed') return <button onClick={() => reload$.next()}>Show the members</button>;
    return (
      <p>
        {status?.state} {names.join()}
      </p>
    );
  }
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  await live(world, {
    show: group_id =>
      root.render(
        <StrictMode>
          <Members group_id={group_id} />
          <Members group_id={group_id} />
        </StrictMode>,
      ),
    remove: () => root.unmount(),
  });
  // Not for a moment are the members of one group shown as those of the other.
  const inOther = frames.filter(({ group_id }) => group_id === world.groups[1]);
  expect(inOther.some(({ names }) => names.includes('Linus'))).toBe(true);
  expect(inOther.some(({ names }) => names.includes('Grace'))).toBe(false);
});
