import type { RunLine } from '../actions/index.js';
import { drawnFor } from '../drawn-for.js';
import { Strip } from '../strip/index.js';
import type { Player, Tone } from './players-of.js';

/** The sign before the words, so that colour is not the only difference. */
const SIGNS: Readonly<Record<Tone, string>> = { ok: '●', warn: '↻', bad: '■', gone: '○' };
const NAMES: Readonly<Record<Tone, string>> = { ok: 'live', warn: 'retrying', bad: 'stopped', gone: 'gone' };
/** The tones in the order in which they are counted. */
const COUNTED: readonly Tone[] = ['ok', 'warn', 'gone', 'bad'];
/** How many of the stopped are named. On a phone, the players themselves are below the stories. */
const MAX_NAMES = 2;
/** How much of the past a strip shows, in ms. */
const STRIP_MS = 60_000;

interface CountsProps {
  readonly players: readonly Player[];
  readonly tone: Tone | undefined;
  readonly show: (tone: Tone | undefined) => void;
}

/** The number of clients of each tone. A press on a number shows only those players. */
export function Counts({ players, tone: shown, show }: CountsProps) {
  return (
    <div class="counts" role="group" aria-label="Clients">
      {COUNTED.map(tone => {
        const names = players.flatMap(({ who, clients }) =>
          clients.filter(client => client.tone === tone).map(() => who),
        );
        return (
          <button
            key={tone}

            // Without any client, the colour of trouble would be a false alarm.
            class={`chip ${names.length === 0 ? 'gone' : tone}`}
            aria-pressed={shown === tone}
            onClick={() => show(shown === tone ? undefined : tone)}
          >
            {SIGNS[tone]} {names.length} {NAMES[tone]}
            {tone === 'bad' && names.length > 0 && `: ${names.slice(0, MAX_NAMES).join(', ')}`}
          </button>
        );
      })}
    </div>
  );
}

interface PlayersProps {
  readonly players: readonly Player[];
  readonly now: number;
  readonly chosen: string | undefined;
  readonly choose: (who_id: string | undefined) => void;
  readonly runLine: RunLine;
  readonly renewalOf: (who_id: string) => string;
}

/** A card for each player. The page is about the chosen player, or about all of them. */
export function Players({ players, now, chosen, choose, runLine, renewalOf }: PlayersProps) {
  return (
    <section aria-labelledby="players">
      <h2 id="players">Players, in trouble first</h2>
      {players.map(player => (
        <div key={player.who_id} class="card" aria-current={chosen === player.who_id}>
          <Verdicts
            player={player}
            isChosen={chosen === player.who_id}
            toggle={() => choose(chosen === player.who_id ? undefined : player.who_id)}
          />
          {player.clientRequests.slice(0, 3).map(client => (
            <Strip key={`${client.topic} ${client.nth}`} client={client} from={now - STRIP_MS} to={now} />
          ))}
          {player.wantsToken && (
            <button onClick={() => void runLine(renewalOf(player.who_id))}>Make a new token</button>
          )}
        </div>
      ))}
    </section>
  );
}

interface VerdictsProps {
  readonly player: Player;
  readonly isChosen: boolean;
  readonly toggle: () => void;
}

/** Who a player is, and how each of its clients does. */
const Verdicts = drawnFor(
  ({ player: { who, clients, topics }, isChosen }: VerdictsProps) =>
    JSON.stringify([who, clients, topics, isChosen]),
  ({ player: { who, clients, topics }, isChosen, toggle }) => (
    <>
      <button class="what" aria-pressed={isChosen} onClick={toggle}>
        <b>{who}</b>
        {clients.length > 1 && <small> {clients.length} clients</small>}
      </button>
      {clients.map(({ tone, words }, i) => (
        <div key={i} class={tone}>
          {SIGNS[tone]} {words}
        </div>
      ))}
      <small>{topics.join(', ')}</small>
    </>
  ),
);
