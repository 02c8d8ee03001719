import { useEffect, useMemo, useState } from 'preact/hooks';
import type { WatchStatus } from '../../../stream/index.js';
import type { SeenRequest, WorldView } from '../world-view.js';
import { Connect } from './connect.js';
import { DemoPlayer } from './demo-player.js';
import { DoBar, whoIs, type Type } from './do/index.js';
import { createEmulatorClient, type EmulatorClient } from './emulator-client.js';
import { Header } from './header.js';
import { Inspector } from './inspector.js';
import { Counts, Players, playersOf, type Tone } from './players/index.js';
import { ResultView, type ShownResult } from './result.js';
import { requestStories, storiesOf, StoryList } from './stories/index.js';
import { WorldPane } from './world-pane.js';

/** How many requests are kept, besides those that are open. */
const MOST = 1_000;
const MINUTE_MS = 60_000;

/** The whole page, for someone who knows the secret. */
export function App({ secret }: { secret: string }) {
  const client = useMemo(() => createEmulatorClient(secret), [secret]);
  const [result, setResult] = useState<ShownResult>();
  const { view, requests, status, ahead } = useEmulator(client, setResult);
  const attempt = (act: () => Promise<ShownResult>) => act().then(setResult, setResult);
  const type: Type = line => attempt(() => client.type(line));
  return (
    <>
      {view ? (
        <Panes {...{ client, view, requests, status, ahead, type, attempt }} />
      ) : (
        <>
          <Header status={status} />
          <main>{result === undefined && <p>Looking for the emulator…</p>}</main>
        </>
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

/**
 * The bar, and below it who is there, what happened, and the one story or how to connect a game.
 */
function Panes({
  client,
  view,
  requests,
  status,
  ahead,
  type,
  attempt,
}: {
  client: EmulatorClient;
  view: WorldView;
  requests: readonly SeenRequest[];
  status: WatchStatus | undefined;
  ahead: number;
  type: Type;
  attempt: (act: () => Promise<ShownResult>) => Promise<void>;
}) {
  const [chosen, choose] = useState<string>();
  const [tone, show] = useState<Tone>();
  const [isPlaying, play] = useState(false);
  const [opened, open] = useState<string>();
  const [isEach, setIsEach] = useState(false);
  const [tab, setTab] = useState<'story' | 'connect'>();
  const now = useClock() + ahead;
  const { groups, identities, self, actions } = view;
  const players = playersOf(requests, { ...view, now });
  const told = { ...view, requests, actions, now };
  const stories = isEach ? requestStories(told) : storiesOf(told);
  const isIdentity = (id: string) => identities.some(({ identity_id }) => identity_id === id);
  const who_id = chosen !== undefined && isIdentity(chosen) ? chosen : self;
  const connected = players
    .filter(one => one.tone !== 'gone' && isIdentity(one.who_id))
    .map(one => one.who_id);
  // Without a choice, it is about someone who is there.
  const target = chosen === undefined ? connected[0] : undefined;
  const name =
    identities.find(({ identity_id }) => identity_id === who_id)?.display_name ?? 'the printed one';
  const renewalOf = (id: string) => `token renew${whoIs(isIdentity(id) ? id : self, self)}`;
  const { group_id = '' } = groups.find(({ members }) => members.includes(who_id)) ?? groups[0] ?? {};
  const story =
    stories.find(({ key }) => key === opened) ??
    stories.find(({ kind }) => kind === 'you' || kind === 'trouble');
  const isConnect = tab === 'connect' || (tab === undefined && requests.length === 0) || !story;
  const inspect = (key: string) => {
    open(key);
    setTab('story');
  };
  const close = () => {
    open(undefined);
    setTab(undefined);
  };
  const shown = players.filter(({ clients }) => tone === undefined || clients.some(one => one.tone === tone));
  return (
    <>
      <Header status={status}>
        <Counts {...{ players, tone, show }} />
        <DoBar
          {...{ view, connected, choose, type }}
          who_id={connected.includes(who_id) ? who_id : (target ?? who_id)}
          moveClock={() => void attempt(() => client.moveClock(MINUTE_MS))}
        />
        <button type="button" aria-pressed={isConnect} onClick={() => setTab('connect')}>
          Connect a game
        </button>
      </Header>
      <main class="panes">
        <div class={`who ${tone === undefined ? '' : 'asked'}`}>
          <Players players={shown} {...{ now, chosen, choose, type, renewalOf }} />
          {view.planned.length > 0 && (
            <p class="warn">
              Planned:{' '}
              {view.planned.map(({ kind, left }) => `${kind} × ${left.replace('Infinity', '∞')}`).join(', ')}{' '}
              <button type="button" onClick={() => void type('fault off')}>
                No more faults
              </button>
            </p>
          )}
          <WorldPane {...{ view, now }} />
        </div>
        <section aria-labelledby="happened">
          <h2 id="happened">What happened, newest first</h2>
          {isPlaying && <DemoPlayer key={who_id} token={async () => (await client.bearerOf(who_id)).token} />}
          {requests.length === 0 && <p>No game has come yet. Connect one, or start the demo player.</p>}
          <StoryList
            {...{ stories, chosen, type, isEach, setIsEach }}
            opened={isConnect ? undefined : story.key}
            open={inspect}
          />
        </section>
        <div class={`inspector ${tab === undefined ? '' : 'open'}`}>
          <div class="tabs" role="group" aria-label="Inspector">
            <button type="button" aria-pressed={!isConnect} disabled={!story} onClick={() => setTab('story')}>
              Story
            </button>
            <button type="button" aria-pressed={isConnect} onClick={() => setTab('connect')}>
              Connect
            </button>
            <button type="button" class="narrow" onClick={close}>
              Close
            </button>
          </div>
          {isConnect ? (
            <Connect {...{ client, who_id, name, group_id, isPlaying, play }} renewal={renewalOf(who_id)} />
          ) : (
            <Inspector {...{ story, now }} answerOf={client.answerOf} />
          )}
        </div>
      </main>
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
