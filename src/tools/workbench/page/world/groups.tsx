import { useState } from 'preact/hooks';
import type { WorldView } from '../../world-view.js';

/** How many members are shown. */
const SHOWN = 50;

/** The groups: first the members with a presence. */
export function Groups({ view }: { view: WorldView }) {
  const [text, setText] = useState('');
  const identities = new Map(view.identities.map(identity => [identity.identity_id, identity]));
  return (
    <section aria-labelledby="groups">
      <h2 id="groups">Groups</h2>
      <input
        type="search"
        aria-label="Search for members"
        placeholder="search"
        value={text}
        onInput={event => setText(event.currentTarget.value)}
      />
      {view.groups.map(({ group_id, display_name, members }) => {
        const known = [...members]
          .reverse()
          .map(id => identities.get(id) ?? { identity_id: id, display_name: id })
          .sort((a, b) => Number(b.presence != null) - Number(a.presence != null));
        const found = known.filter(one => one.display_name.toLowerCase().includes(text.toLowerCase()));
        return (
          <details key={group_id} open>
            <summary>
              {display_name}: {members.length} members
            </summary>
            <ul class="scroll" tabIndex={0} aria-label={`Members of ${display_name}`}>
              {found.slice(0, SHOWN).map(({ identity_id, display_name: name, presence }) => (
                <li key={identity_id}>
                  {name} {presence != null && <span class={presence}>{presence}</span>}
                </li>
              ))}
              {found.length > SHOWN && <li>and {found.length - SHOWN} more</li>}
            </ul>
          </details>
        );
      })}
    </section>
  );
}
