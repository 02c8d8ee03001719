import type { WorldView } from '../../world-view.js';

/** The lobbies, and the state of each of their player tokens. `now` is the clock of the service. */
export function Lobbies({ view, now }: { view: WorldView; now: number }) {
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
