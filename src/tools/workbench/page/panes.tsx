import { useEffect, useState } from 'preact/hooks';
import type { WatchStatus } from '../../../stream/index.js';
import type { SeenRequest, WorldView } from '../world-view.js';
import { ActionBar, faultInWords, type RunLine } from './actions/index.js';
import { Connect } from './connect.js';
import { DemoPlayer } from './demo-player.js';
import type { EmulatorClient } from './emulator-client.js';
import { Header } from './header.js';
import { Inspector } from './inspector.js';
import type { ClientRequests } from './outcome/index.js';
import { Counts, Players, playersOf, type Tone } from './players/index.js';
import type { ShownResult } from './result.js';
import { requestStories, storiesOf, StoryList } from './stories/index.js';
import { subjectOf } from './subject-of.js';
import { WorldPane } from './world-pane.js';

const MINUTE_MS = 60_000;

type Tab = 'story' | 'connect';

/** The state of the emulator. `ahead` is how far its clock is ahead, in ms. */
export interface Known {
  readonly view: WorldView;
  readonly requests: readonly SeenRequest[];
  readonly clients: readonly ClientRequests[];
  readonly ahead: number;
}

interface PanesProps {
  readonly client: EmulatorClient;
  readonly known: Known;
  readonly status: WatchStatus | undefined;
  readonly runLine: RunLine;
  readonly attempt: (act: () => Promise<ShownResult>) => Promise<void>;
}

/**
 * The bar, and three panes below it: the players, the stories, and the opened story. The last pane
 * can also show how to connect a game.
 */
export function Panes({ client, known, status, runLine, attempt }: PanesProps) {
  const { view, requests } = known;
  const page = usePage(known);
  const { who_id } = page.subject;
  return (
    <>
      <Header status={status}>
        <Counts players={page.players} tone={page.tone} show={page.setTone} />
        <ActionBar
          view={view}
          target={page.subject.target}
          connected={page.subject.connected}
          choose={page.setChosen}
          runLine={runLine}
          moveClock={() => attempt(() => client.moveClock(MINUTE_MS))}
        />
        <button aria-pressed={page.isConnect} onClick={() => page.setTab('connect')}>
          Connect a game
        </button>
      </Header>
      <main class="panes">
        <PlayersPane view={view} runLine={runLine} page={page} />
        <section aria-labelledby="happened">
          <h2 id="happened">What happened, newest first</h2>
          {page.isPlaying && <DemoPlayer key={who_id} client={client} who_id={who_id} />}
          {requests.length === 0 && <p>No game has come yet. Connect one, or start the demo player.</p>}
          <StoryList
            stories={page.stories}
            chosen={page.chosen}
            runLine={runLine}
            isEach={page.isEach}
            setIsEach={page.setIsEach}
            opened={page.isConnect ? undefined : page.story?.key}
            open={page.inspect}
          />
        </section>
        <InspectorPane client={client} page={page} />
      </main>
    </>
  );
}

/** The choices of the person in front of the page, and the data that they select. */
function usePage(known: Known) {
  const { view, requests, clients, ahead } = known;
  const [chosen, setChosen] = useState<string>();
  const [tone, setTone] = useState<Tone>();
  const [isPlaying, setIsPlaying] = useState(false);
  const [opened, setOpened] = useState<string>();
  const [isEach, setIsEach] = useState(false);
  const [tab, setTab] = useState<Tab>();
  const now = useClock() + ahead;
  const players = playersOf(clients, { ...view, now });
  const subject = subjectOf(view, players, chosen);
  const stories = (isEach ? requestStories : storiesOf)({ ...view, requests, clients, now });
  const story =
    stories.find(({ key }) => key === opened) ??
    stories.find(({ kind }) => kind === 'you' || kind === 'trouble');
  const isConnect = tab === 'connect' || (tab === undefined && requests.length === 0) || !story;
  const inspect = (key: string | undefined) => {
    setOpened(key);
    setTab(key === undefined ? undefined : 'story');
  };
  return {
    chosen,
    setChosen,
    tone,
    setTone,
    isPlaying,
    setIsPlaying,
    isEach,
    setIsEach,
    tab,
    setTab,
    now,
    players,
    subject,
    stories,
    story,
    isConnect,
    inspect,
  };
}

type Page = ReturnType<typeof usePage>;

interface PlayersPaneProps {
  readonly view: WorldView;
  readonly runLine: RunLine;
  readonly page: Page;
}

/** The players, the planned faults, and the world. */
function PlayersPane({
  view,
  runLine,
  page: { players, tone, now, chosen, setChosen, subject },
}: PlayersPaneProps) {
  const shown = players.filter(
    ({ clients }) => tone === undefined || clients.some(client => client.tone === tone),
  );
  const planned = view.planned.map(
    ({ kind, left }) => `${faultInWords(kind)} × ${left.replace('Infinity', '∞')}`,
  );
  return (
    <div class={`who ${tone === undefined ? '' : 'asked'}`}>
      {planned.length > 0 && (
        <p class="warn">
          Planned: {planned.join(', ')}{' '}
          <button onClick={() => void runLine('fault off')}>No more faults</button>
        </p>
      )}
      <Players
        players={shown}
        now={now}
        chosen={chosen}
        choose={setChosen}
        runLine={runLine}
        renewalOf={subject.renewalOf}
      />
      <WorldPane view={view} now={now} />
    </div>
  );
}

interface InspectorPaneProps {
  readonly client: EmulatorClient;
  readonly page: Page;
}

/** The chosen story, or how to connect a game. On a phone, it is a sheet over the page. */
function InspectorPane({
  client,
  page: { tab, setTab, isConnect, story, now, subject, isPlaying, setIsPlaying, inspect },
}: InspectorPaneProps) {
  return (
    <div class={`inspector ${tab === undefined ? '' : 'open'}`}>
      <div class="tabs" role="group" aria-label="Inspector">
        <button aria-pressed={!isConnect} disabled={!story} onClick={() => setTab('story')}>
          Story
        </button>
        <button aria-pressed={isConnect} onClick={() => setTab('connect')}>
          Connect
        </button>
        <button class="narrow" onClick={() => inspect(undefined)}>
          Close
        </button>
      </div>
      {isConnect || !story ? (
        <Connect client={client} subject={subject} isPlaying={isPlaying} play={setIsPlaying} />
      ) : (
        <Inspector story={story} now={now} answerOf={client.answerOf} />
      )}
    </div>
  );
}

/** The time in ms since 1970. It is updated each second. */
function useClock(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
