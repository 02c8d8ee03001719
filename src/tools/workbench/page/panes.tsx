import { useEffect, useState } from 'preact/hooks';
import type { WatchStatus } from '../../../stream/index.js';
import type { SeenRequest, WorldView } from '../world-view.js';
import { Connect } from './connect.js';
import { DemoPlayer } from './demo-player.js';
import { DoBar, type Type } from './do/index.js';
import type { EmulatorClient } from './emulator-client.js';
import { Header } from './header.js';
import { Inspector } from './inspector.js';
import { Counts, Players, playersOf, type Player, type Tone } from './players/index.js';
import type { ShownResult } from './result.js';
import { requestStories, storiesOf, StoryList, type Story } from './stories/index.js';
import { subjectOf, type Subject } from './subject-of.js';
import { WorldPane } from './world-pane.js';

const MINUTE_MS = 60_000;

type Tab = 'story' | 'connect';

/** The state of the emulator. `ahead` is how far its clock is ahead, in ms. */
export interface Known {
  readonly view: WorldView;
  readonly requests: readonly SeenRequest[];
  readonly status: WatchStatus | undefined;
  readonly ahead: number;
}

/**
 * The bar, and three panes below it: the players, the stories, and the opened story. The last pane
 * can also show how to connect a game.
 */
export function Panes({
  client,
  view,
  requests,
  status,
  ahead,
  type,
  attempt,
}: Known & {
  client: EmulatorClient;
  type: Type;
  attempt: (act: () => Promise<ShownResult>) => Promise<void>;
}) {
  const [chosen, choose] = useState<string>();
  const [tone, show] = useState<Tone>();
  const [isPlaying, play] = useState(false);
  const [opened, open] = useState<string>();
  const [isEach, setIsEach] = useState(false);
  const [tab, setTab] = useState<Tab>();
  const now = useClock() + ahead;
  const players = playersOf(requests, { ...view, now });
  const subject = subjectOf(view, players, chosen);
  const stories = (isEach ? requestStories : storiesOf)({ ...view, requests, now });
  const story =
    stories.find(({ key }) => key === opened) ??
    stories.find(({ kind }) => kind === 'you' || kind === 'trouble');
  const isConnect = tab === 'connect' || (tab === undefined && requests.length === 0) || !story;
  const inspect = (key: string | undefined) => {
    open(key);
    setTab(key === undefined ? undefined : 'story');
  };
  return (
    <>
      <Header status={status}>
        <Counts {...{ players, tone, show }} />
        <DoBar
          {...{ view, subject, choose, type }}
          moveClock={() => void attempt(() => client.moveClock(MINUTE_MS))}
        />
        <button type="button" aria-pressed={isConnect} onClick={() => setTab('connect')}>
          Connect a game
        </button>
      </Header>
      <main class="panes">
        <Who {...{ view, players, tone, now, chosen, choose, type, subject }} />
        <section aria-labelledby="happened">
          <h2 id="happened">What happened, newest first</h2>
          {isPlaying && <DemoPlayer key={subject.who_id} {...{ client }} who_id={subject.who_id} />}
          {requests.length === 0 && <p>No game has come yet. Connect one, or start the demo player.</p>}
          <StoryList
            {...{ stories, chosen, type, isEach, setIsEach }}
            opened={isConnect ? undefined : story.key}
            open={inspect}
          />
        </section>
        <Side {...{ tab, setTab, isConnect, story, now, client, subject, isPlaying, play }} close={inspect} />
      </main>
    </>
  );
}

/** The players, the planned faults, and the world. */
function Who({
  view,
  players,
  tone,
  now,
  chosen,
  choose,
  type,
  subject,
}: {
  view: WorldView;
  players: readonly Player[];
  tone: Tone | undefined;
  now: number;
  chosen: string | undefined;
  choose: (who_id: string | undefined) => void;
  type: Type;
  subject: Subject;
}) {
  const shown = players.filter(
    ({ clients }) => tone === undefined || clients.some(client => client.tone === tone),
  );
  const planned = view.planned.map(({ kind, left }) => `${kind} × ${left.replace('Infinity', '∞')}`);
  return (
    <div class={`who ${tone === undefined ? '' : 'asked'}`}>
      <Players players={shown} {...{ now, chosen, choose, type }} renewalOf={subject.renewalOf} />
      {planned.length > 0 && (
        <p class="warn">
          Planned: {planned.join(', ')}{' '}
          <button type="button" onClick={() => void type('fault off')}>
            No more faults
          </button>
        </p>
      )}
      <WorldPane {...{ view, now }} />
    </div>
  );
}

/** The chosen story, or how to connect a game. On a phone, it is a sheet over the page. */
function Side({
  tab,
  setTab,
  isConnect,
  story,
  now,
  client,
  subject,
  isPlaying,
  play,
  close,
}: {
  tab: Tab | undefined;
  setTab: (tab: Tab) => void;
  isConnect: boolean;
  story: Story | undefined;
  now: number;
  client: EmulatorClient;
  subject: Subject;
  isPlaying: boolean;
  play: (isPlaying: boolean) => void;
  close: (key: undefined) => void;
}) {
  return (
    <div class={`inspector ${tab === undefined ? '' : 'open'}`}>
      <div class="tabs" role="group" aria-label="Inspector">
        <button type="button" aria-pressed={!isConnect} disabled={!story} onClick={() => setTab('story')}>
          Story
        </button>
        <button type="button" aria-pressed={isConnect} onClick={() => setTab('connect')}>
          Connect
        </button>
        <button type="button" class="narrow" onClick={() => close(undefined)}>
          Close
        </button>
      </div>
      {isConnect || !story ? (
        <Connect {...{ client, subject, isPlaying, play }} />
      ) : (
        <Inspector {...{ story, now }} answerOf={client.answerOf} />
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
