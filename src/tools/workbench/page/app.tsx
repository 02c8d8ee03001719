import { useEffect, useMemo, useState } from 'preact/hooks';
import type { WatchStatus } from '../../../stream/index.js';
import type { SeenRequest, WorldView } from '../world-view.js';
import { Connect, tokenOf } from './connect.js';
import { DemoPlayer } from './demo-player.js';
import { Breaks, DoTo, Palette, whoIs, type Type } from './do/index.js';
import { createEmulatorClient, type EmulatorClient } from './emulator-client.js';
import { Happened } from './happened/index.js';
import { Header } from './header.js';
import { Players, playersOf, VerdictView } from './players/index.js';
import { ResultView, type ShownResult } from './result.js';
import { WorldPane } from './world-pane.js';

/** How many requests are kept, besides those that are open. */
const MOST = 1_000;
/** How many players are seen with what helps them, while none is chosen. */
const MOST_HELPED = 3;
const MINUTE_MS = 60_000;

/** On a phone, one of them is seen. */
const PARTS = ['Players', 'What happened', 'Do'] as const;

/** The whole page, for someone who knows the secret. */
export function App({ secret }: { secret: string }) {
  const client = useMemo(() => createEmulatorClient(secret), [secret]);
  const [result, setResult] = useState<ShownResult>();
  const { view, requests, status, ahead } = useEmulator(client, setResult);
  const attempt = (act: () => Promise<ShownResult>) => act().then(setResult, setResult);
  const type: Type = line => attempt(() => client.type(line));
  return (
    <>
      <Header {...{ status, client, attempt }}>
        {view && <Palette help={view.help} faults={view.fault_kinds} type={type} />}
      </Header>
      {view ? (
        <Panes {...{ client, view, requests, ahead, type, attempt }} />
      ) : (
        <main>{result === undefined && <p>Looking for the emulator…</p>}</main>
      )}
      <ResultView result={result} close={() => setResult(undefined)} />
    </>
  );
}

/** What is known of the emulator. `end` is called if the secret is another one. */
function useEmulator(client: EmulatorClient, end: (error: Error) => void) {
  const [view, setView] = useState<WorldView>();
  const [ahead, setAhead] = useState(0);
  const [requests, setRequests] = useState<readonly SeenRequest[]>([]);
  const [status, setStatus] = useState<WatchStatus>();
  useEffect(() => {
    const watching = client.signal$.subscribe({
      next: signal => {
        if (signal.kind === 'status') setStatus(signal.status);
        if (signal.kind !== 'answer') return;
        const { answer } = signal;
        setAhead(answer.now - Date.now());
        setView(answer);
        setRequests(known => merged(known, answer.requests));
      },
      error: () => {
        // Otherwise it would be tried again when the page is reloaded.
        sessionStorage.clear();
        end(new Error('The secret is another one: open the URL that the emulator has printed last.'));
      },
    });
    return () => watching.unsubscribe();
  }, [client]);
  return { view, ahead, requests, status };
}

/** The three parts of the page, which are about one player if one is chosen. */
function Panes({
  client,
  view,
  requests,
  ahead,
  type,
  attempt,
}: {
  client: EmulatorClient;
  view: WorldView;
  requests: readonly SeenRequest[];
  ahead: number;
  type: Type;
  attempt: (act: () => Promise<ShownResult>) => Promise<void>;
}) {
  const [chosen, choose] = useState<string>();
  const [isPlaying, play] = useState(false);
  const [part, setPart] = useState<(typeof PARTS)[number]>('What happened');
  const now = useClock() + ahead;
  const { groups, identities, self } = view;
  const players = playersOf(requests, { ...view, now });
  const one = players.find(({ who_id }) => who_id === chosen);
  const nameOf = (id: string) => identities.find(({ identity_id }) => identity_id === id)?.display_name;
  const name = one?.who ?? nameOf(chosen ?? '');
  const isAbout = ({ who_id }: { who_id: string }) => chosen === undefined || who_id === chosen;
  const actedOn = (id: string | undefined) => (id !== undefined && nameOf(id) !== undefined ? id : self);
  const who_id = actedOn(chosen);
  const helped = players.filter(player => isAbout(player) && player.remedy).slice(0, MOST_HELPED);
  const renewalOf = (id: string) => `token renew${whoIs(actedOn(id), self)}`;
  const { group_id = '' } = groups.find(({ members }) => members.includes(who_id)) ?? groups[0] ?? {};
  const connect = <Connect {...{ client, who_id, group_id, isPlaying, play }} />;
  const isShown = (of: typeof part) => (of === part ? 'shown' : '');
  return (
    <>
      <main class="panes">
        <div class={isShown('Players')}>
          <Players {...{ players, chosen, choose }} />
          <WorldPane view={view} now={now} />
        </div>
        <section class={isShown('What happened')} aria-labelledby="happened">
          <h2 id="happened">What happened{name !== undefined && ` to ${name}`}</h2>
          {isPlaying && <DemoPlayer key={who_id} token={() => tokenOf(client, who_id)} />}
          {helped.map(player => (
            <VerdictView key={player.who_id} {...{ player, type }} renew={renewalOf(player.who_id)} />
          ))}
          {requests.length === 0 ? (
            <p>No game has come yet. Connect one, or start the demo player.</p>
          ) : (
            <Happened
              key={chosen}
              requests={requests.filter(isAbout)}
              actions={view.actions.filter(isAbout)}
              {...{ groups, ahead, type }}
              answerOf={client.answerOf}
            />
          )}
          {requests.length === 0 && connect}
        </section>
        <div class={isShown('Do')}>
          <DoTo {...{ view, who_id, choose, type }} />
          <Breaks planned={view.planned} type={type} />
          <button type="button" onClick={() => void attempt(() => client.moveClock(MINUTE_MS))}>
            Clock + 1 min
          </button>{' '}
          <small>The clock is that of the service only: a client does not notice.</small>
          {requests.length > 0 && connect}
        </div>
      </main>
      <nav aria-label="Parts of the page">
        {PARTS.map(of => (
          <button key={of} type="button" aria-pressed={of === part} onClick={() => setPart(of)}>
            {of}
          </button>
        ))}
      </nav>
    </>
  );
}

/** The requests by their ids, of which the later ones are known better. */
function merged(known: readonly SeenRequest[], more: readonly SeenRequest[]): readonly SeenRequest[] {
  const all = new Map([...known, ...more].map(request => [request.id, request]));
  const sorted = [...all.values()].sort((a, b) => a.id - b.id);
  return sorted.filter(({ ended_at }, i) => ended_at == null || i >= sorted.length - MOST);
}

/** The time, each second, in ms since 1970. */
function useClock(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
