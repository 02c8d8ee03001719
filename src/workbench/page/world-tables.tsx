import { useEffect, useState } from 'preact/hooks';
import type { WorldView } from '../world-view.js';

/** The lobbies, and the state of each of their player tokens. `ahead`: see `LiveMarbles`. */
export function Lobbies({ view, ahead }: { view: WorldView; ahead: number }) {
  const now = useClock() + ahead;
  return (
    <section aria-labelledby="lobbies">
      <h2 id="lobbies">Lobbies</h2>
      {view.lobbies.map(({ lobby_id, slots, players }) => {
        const seen = players.map(player => {
          const left = player.reserved_at + view.reservation - now;
          // Nothing is sent when a reservation ends.
          return player.state === 'reserved' && left <= 0
            ? { ...player, left, state: 'expired' }
            : { ...player, left };
        });
        const taken = seen.filter(({ state }) => state === 'reserved' || state === 'connected').length;
        return (
          <table key={lobby_id}>
            <caption>
              Lobby {lobby_id.slice(0, 8)}: {taken} of {slots} slots
            </caption>
            <tbody>
              {[...seen]
                .reverse()
                .slice(0, 50)
                .map(({ player, state, left }) => (
                  <tr key={player}>
                    <th scope="row">{player}</th>
                    <td class={state}>
                      {state === 'reserved' ? `reserved, ${Math.ceil(left / 1_000)} s left` : state}
                    </td>
                  </tr>
                ))}
            </tbody>
          </table>
        );
      })}
    </section>
  );
}

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

/** The time, each second. */
function useClock(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
