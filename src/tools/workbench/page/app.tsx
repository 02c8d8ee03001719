import { useEffect, useMemo, useState } from 'preact/hooks';
import type { WatchStatus } from '../../../stream/index.js';
import type { SavedWorld, SeededWorld } from '../../emulator/index.js';
import type { SeenRequest, WorldView } from '../world-view.js';
import { Person, Service, type Run, type ShownResult } from './actions/index.js';
import { Clients, clientsOf, NoClient, type SeenClient } from './clients/index.js';
import { createEmulatorClient, type EmulatorClient } from './emulator-client.js';
import { Header } from './header.js';
import { LiveMarbles, RequestTable } from './requests/index.js';
import { Groups, Lobbies } from './world/index.js';

/** How many requests are kept, besides those that are open. */
const MOST = 1_000;

/** On a phone, one of them is seen. */
const PARTS = ['Clients', 'What happens', 'Make it happen', 'The world'] as const;

/** The whole page, for someone who knows the secret. */
export function App({ secret }: { secret: string }) {
  const client = useMemo(() => createEmulatorClient(secret), [secret]);
  const [result, setResult] = useState<ShownResult>();
  const emulator = useEmulator(client, setResult);
  const { view, requests, status, ahead } = emulator;
  const now = useClock() + ahead;
  const clients = clientsOf(requests, now);

  const attempt = (act: () => Promise<ShownResult>) => act().then(setResult, setResult);
  return (
    <>
      <Header {...{ clients, requests, status, client, attempt }} />
      {view ? (
        <Panes
          {...{ client, clients, view, requests, ahead, now }}
          run={(command, fields) => attempt(() => client.run(command, fields))}
        />
      ) : (
        <main>{result === undefined && <p>Looking for the emulator…</p>}</main>
      )}
      <aside hidden={result === undefined}>
        <output class={result instanceof Error ? 'wrong' : ''}>
          {result instanceof Error ? result.message : textOf(result)}
        </output>
        <button type="button" class="quiet" aria-label="Close" onClick={() => setResult(undefined)}>
          ×
        </button>
      </aside>
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

/** The four parts of the page. */
function Panes({
  client,
  clients,
  view,
  requests,
  ahead,
  now,
  run,
}: {
  client: EmulatorClient;
  clients: readonly SeenClient[];
  view: WorldView;
  requests: readonly SeenRequest[];
  ahead: number;
  now: number;
  run: Run;
}) {
  const [chosen, choose] = useState<string>();
  const [part, setPart] = useState<(typeof PARTS)[number]>('What happens');
  // Unless all of its requests are forgotten by now.
  const one = clients.find(({ who_id }) => who_id === chosen);
  const only = one?.who_id;
  const shown = only === undefined ? requests : requests.filter(({ who_id }) => who_id === only);
  const { groups } = view;
  const pane = (name: typeof part) => `pane ${name === part ? 'shown' : ''}`;
  return (
    <>
      <nav aria-label="Parts of the page">
        {PARTS.map(name => (
          <button key={name} type="button" aria-pressed={name === part} onClick={() => setPart(name)}>
            {name}
          </button>
        ))}
      </nav>
      <main class="panes">
        <div class={pane('Clients')}>
          <Clients {...{ clients, groups, only, choose }} />
        </div>
        <section class={pane('What happens')} aria-labelledby="live">
          <h2 id="live">What happens{one && ` to ${one.who}`}</h2>
          {requests.length === 0 ? (
            <NoClient exports={() => exportsOf(client)} />
          ) : (
            <>
              <LiveMarbles key={only} requests={shown} {...{ groups, ahead }} />
              <RequestTable
                requests={shown}
                groups={groups}
                name="Log of requests"
                answerOf={client.answerOf}
              />
            </>
          )}
        </section>
        <div class={pane('Make it happen')}>
          <Person view={view} run={run} />
          <Service view={view} run={run} />
        </div>
        <div class={pane('The world')}>
          <Lobbies view={view} now={now} />
          <Groups view={view} />
        </div>
      </main>
    </>
  );
}

/** What a shell needs to be a client, with the latest token, which the page does not show. */
async function exportsOf(client: EmulatorClient): Promise<string> {
  const { saved, world } = JSON.parse(await client.save()) as { saved: SavedWorld; world: SeededWorld };
  const own = saved.bearers.filter(([, { id, expired }]) => id === world.identityId && !expired);
  const [token = world.identityToken] = own.at(-1) ?? [];
  return `export LOBBY_RX_URL=${location.origin} LOBBY_RX_TOKEN=${token}`;
}

const textOf = (result: object = {}) =>
  Object.entries(result)
    .map(([name, value]) => (name === 'message' ? String(value) : `${name}: ${String(value)}`))
    .join('\n');

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
