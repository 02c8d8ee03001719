import { breakActionOf, type RunLine } from '../actions/index.js';
import type { Effect, Story } from './story.js';
import { durationInWords, timeOf } from './words.js';

/** A story in a few lines. A press on its title shows all of it in the inspector. */
export function StoryView({
  story,
  chosen,
  open,
  runLine,
}: {
  story: Story;
  /** The identity that the page is about. `undefined` if it is about all. */
  chosen: string | undefined;
  open: { readonly isOpen: boolean; readonly toggle: () => void };
  runLine: RunLine;
}) {
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
        {counted(steps.map(({ tone, short }) => ({ tone, short, times: 1 }))).map(
          ({ tone, short, times }, i) => (
            <span key={i} class={`tag ${tone}`}>
              {short}
              {times > 1 ? ` ×${times}` : ''}
            </span>
          ),
        )}
      </span>
      <small>{took === undefined ? '' : durationInWords(took)}</small>
    </div>
  );
}

interface Counted {
  readonly tone: string;
  readonly short: string;
  readonly times: number;
}

/** Joins steps with the same text, and the waits between them. */
function counted(steps: readonly Counted[]): readonly Counted[] {
  const all: Counted[] = [];
  for (const step of steps) {
    const same = all.findIndex(({ short, tone }) => tone === 'bad' && short === step.short);
    const last = all.at(-1);
    if (same >= 0) all[same] = { ...all[same]!, times: all[same]!.times + 1 };
    else if (last?.tone === 'warn' && step.tone === 'warn' && step.short.startsWith('waited'))
      all[all.length - 1] = { ...last, short: `${last.short},${step.short.replace('waited', '')}` };
    else all.push(step);
  }
  return all;
}

function Quiet({
  story,
  open,
}: {
  story: Story;
  open: { readonly isOpen: boolean; readonly toggle: () => void };
}) {
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
