import type { WorldView } from '../world-view.js';

/** The groups, with the presence of their members. */
export function Groups({ view }: { view: WorldView }) {
  const identities = new Map(view.identities.map(identity => [identity.identity_id, identity]));
  return (
    <section aria-labelledby="groups">
      <h2 id="groups">Groups</h2>
      {view.groups.map(({ group_id, display_name, members }) => (
        <details key={group_id} open>
          <summary>
            {display_name}: {members.length} members
          </summary>
          <ul tabIndex={0} aria-label={`Members of ${display_name}`}>
            {[...members].reverse().map(id => {
              const { display_name: name, presence } = identities.get(id) ?? {};
              return (
                <li key={id}>
                  {name ?? id} {presence != null && <span class={presence}>{presence}</span>}
                </li>
              );
            })}
          </ul>
        </details>
      ))}
    </section>
  );
}
