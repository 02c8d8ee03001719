import { useState } from 'preact/hooks';
import type { SeenIdentity, WorldView } from '../world-view.js';

/** How many members are listed. */
const MAX_MEMBERS = 50;

/** The lobbies and groups. Each is a line that opens. `now` is the clock of the service. */
export function WorldPane({ view, now }: { view: WorldView; now: number }) {
  return (
    <section aria-labelledby="world">
      <h2 id="world">World</h2>
      {view.lobbies.map(lobby => (
        <Lobby key={lobby.lobby_id} lobby={lobby} now={now} reservation={view.reservation} />
      ))}
      {view.groups.map(group => (
        <Group key={group.group_id} group={group} identities={view.identities} />
      ))}
    </section>
  );
}

interface LobbyProps {
  readonly lobby: WorldView['lobbies'][number];
  readonly reservation: number;
  readonly now: number;
}

function Lobby({ lobby: { lobby_id, slots, players }, reservation, now }: LobbyProps) {
  // The emulator sends nothing when a reservation expires, so the page computes it.
  const seen = players.map(({ player, state, reserved_at }) => {
    const left = reserved_at + reservation - now;
    return { player, left, state: state === 'reserved' && left <= 0 ? 'expired' : state };
  });
  const count = (state: string) => seen.filter(player => player.state === state).length;
  const reserved = seen.filter(({ state }) => state === 'reserved');
  const next = Math.min(...reserved.map(({ left }) => left));
  const soon = Number.isFinite(next) ? ` (next expires in ${Math.ceil(next / 1_000)} s)` : '';
  return (
    <details>
      <summary>
        Lobby {lobby_id.slice(0, 4)}: {count('reserved') + count('connected')} of {slots}
      </summary>
      <p>
        {count('reserved')} reserved{soon} · {count('connected')} in · {count('expired')} expired
      </p>
      <ul>
        {[...seen]
          .reverse()
          .slice(0, MAX_MEMBERS)
          .map(({ player, state, left }) => (
            <li key={player}>
              {player} {state === 'reserved' ? `reserved, ${Math.ceil(left / 1_000)} s left` : state}
            </li>
          ))}
      </ul>
    </details>
  );
}

interface GroupProps {
  readonly group: WorldView['groups'][number];
  readonly identities: WorldView['identities'];
}

function Group({ group: { display_name, members }, identities }: GroupProps) {
  const [text, setText] = useState('');
  const own = new Set(members);
  const all = identities.filter(({ identity_id }) => own.has(identity_id)).reverse();
  const presenceOf = ({ presence = 'offline' }: SeenIdentity) => presence;
  const states = [...new Set(all.map(presenceOf))];
  const found = all.filter(member =>
    `${member.display_name} ${presenceOf(member)}`.toLowerCase().includes(text.toLowerCase()),
  );
  return (
    <details>
      <summary>
        {display_name}: {members.length}
      </summary>
      <p>
        {states
          .map(state => `${all.filter(member => presenceOf(member) === state).length} ${state}`)
          .join(' · ')}
      </p>
      <input
        type="search"
        aria-label="Search for members"
        placeholder="search"
        value={text}
        onInput={event => setText(event.currentTarget.value)}
      />
      <ul>
        {found.slice(0, MAX_MEMBERS).map(member => (
          <li key={member.identity_id}>
            {member.display_name} {presenceOf(member)}
          </li>
        ))}
        {found.length > MAX_MEMBERS && <li>and {found.length - MAX_MEMBERS} more</li>}
      </ul>
    </details>
  );
}
