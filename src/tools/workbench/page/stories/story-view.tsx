import { breakActionOf, type RunLine } from '../actions/index.js';
import type { Step } from './ends-of.js';
import type { Effect, Story } from './story.js';
import { durationInWords, timeOf } from './words.js';

interface StoryViewProps {
  readonly story: Story;
  /** The identity that the page is about. `undefined` if it is about all. */
  readonly chosen: string | undefined;
  readonly open: { readonly isOpen: boolean; readonly toggle: () => void };
  readonly runLine: RunLine;
}

/** A story in a few lines. A press on its title shows all of it in the inspector. */
export function StoryView({ story, chosen, open, runLine }: StoryViewProps) {
  const { kind, at, title, end, actions, effects } = story;
  if (kind === 'quiet' || kind === 'event') return <Quiet story={story} open={open} />;
  const shown = effects.filter(({ who_id }) => chosen === undefined || who_id === chosen);
  const times = actions.length > 1 ? ` ×${actions.length}` : '';
  const line = actions.at(-1)?.line;
  return (
    <li class="story" aria-current={open.isOpen}>
      <div class="head">
        <time>{timeOf(at)}</time>
        <button type="button" class={`what ${kind}`} onClick={open.toggle}>
          {title}
          {times}
        </button>
        <span class={`end ${end.tone}`}>{end.words}</span>
        {line !== undefined && (
          <button
            type="button"
            class="again"
            aria-label={`Again: ${breakActionOf(line)?.label ?? line}`}
            onClick={() => void runLine(line)}
          >
            Again
          </button>
        )}
      </div>
      {shown.map(effect => (
        <EffectView key={effect.key} effect={effect} />
      ))}
    </li>
  );
}

/** The effect of a story on one client, from left to right. */
function EffectView({ effect: { who, client, steps, took } }: { effect: Effect }) {
  return (
    <div class="effect">
      <span>{who}</span>
      <span class="steps">
        {client && client.topic !== 'live events' && <small>{client.topic}</small>}
        {tagsOf(steps).map(({ tone, short, times }, i) => (
          <span key={i} class={`tag ${tone}`}>
            {short}
            {times > 1 ? ` ×${times}` : ''}
          </span>
        ))}
      </span>
      <small>{took === undefined ? '' : durationInWords(took)}</small>
    </div>
  );
}

/** One or more steps with the same text. */
interface Tag {
  readonly tone: string;
  short: string;
  times: number;
}

/** A tag for each step, but one for equal failures, and one for the waits between them. */
function tagsOf(steps: readonly Step[]): readonly Tag[] {
  const tags: Tag[] = [];
  for (const { tone, short } of steps) {
    const last = tags.at(-1);
    const same = tags.find(tag => tag.tone === 'bad' && tag.short === short);
    if (same) {
      same.times++;
    } else if (last?.tone === 'warn' && tone === 'warn' && short.startsWith('waited')) {
      last.short += short.replace('waited', ',');
    } else {
      tags.push({ tone, short, times: 1 });
    }
  }
  return tags;
}

interface QuietProps {
  readonly story: Story;
  readonly open: { readonly isOpen: boolean; readonly toggle: () => void };
}

function Quiet({ story, open }: QuietProps) {
  const { effects, title, at } = story;
  const count = `${effects.length} ${effects.length === 1 ? 'request' : 'requests'} without news`;
  return (
    <li class="quiet" aria-current={open.isOpen}>
      <time>{timeOf(at)}</time>
      <button type="button" class="what" onClick={open.toggle}>
        {title || count}
      </button>
    </li>
  );
}
