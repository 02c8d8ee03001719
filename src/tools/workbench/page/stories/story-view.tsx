import type { RunLine } from '../actions/index.js';
import { drawnFor } from '../drawn-for.js';
import type { End, Step } from './ends-of.js';
import type { Effect, Story } from './story.js';
import { durationInWords, lineInWords, timeOf } from './words.js';

interface StoryViewProps {
  readonly story: Story;
  /** The identity that the page is about. `undefined` if it is about all. */
  readonly chosen: string | undefined;
  readonly open: { readonly isOpen: boolean; readonly toggle: () => void };
  readonly runLine: RunLine;
}

/** What a story says in the list. */
interface StoryRow {
  readonly kind: Story['kind'];
  readonly time: string;
  readonly title: string;
  readonly end: End;
  /** The command that does it again. */
  readonly line: string | undefined;
  readonly effects: readonly EffectRow[];
}

/** What a story did to one client. */
interface EffectRow {
  readonly key: string;
  readonly who: string;
  readonly topic: string | undefined;
  readonly tags: readonly Tag[];
  readonly took: string;
}

function rowOf({ kind, at, title, end, actions, effects }: Story, chosen: string | undefined): StoryRow {
  const row = { kind, time: timeOf(at), end, line: actions.at(-1)?.line };
  if (kind === 'quiet' || kind === 'event') {
    const count = `${effects.length} ${effects.length === 1 ? 'request' : 'requests'} without news`;
    return { ...row, title: title || count, effects: [] };
  }
  const shown = effects.filter(({ who_id }) => chosen === undefined || who_id === chosen);
  const times = actions.length > 1 ? ` ×${actions.length}` : '';
  return { ...row, title: `${title}${times}`, effects: shown.map(effect => effectRowOf(effect)) };
}

const effectRowOf = ({ key, who, topic, steps, took }: Effect): EffectRow => ({
  key,
  who,
  topic,
  tags: tagsOf(steps),
  took: took === undefined ? '' : durationInWords(took),
});

/**
 * A story in a few lines. A press on its title shows all of it in the inspector. Of the many
 * stories of a list, only those that say something else are drawn again.
 */
export const StoryView = drawnFor(
  ({ story, chosen, open }: StoryViewProps) => JSON.stringify([rowOf(story, chosen), open.isOpen]),
  ({ story, chosen, open, runLine }) => <Row row={rowOf(story, chosen)} open={open} runLine={runLine} />,
);

interface RowProps extends Pick<StoryViewProps, 'open' | 'runLine'> {
  readonly row: StoryRow;
}

function Row({ row: { kind, time, title, end, line, effects }, open, runLine }: RowProps) {
  if (kind === 'quiet' || kind === 'event') {
    return (
      <li class="quiet" aria-current={open.isOpen}>
        <time>{time}</time>
        <button class="what" onClick={open.toggle}>
          {title}
        </button>
      </li>
    );
  }
  return (
    <li class="story" aria-current={open.isOpen}>
      <div class="head">
        <time>{time}</time>
        <button class={`what ${kind}`} onClick={open.toggle}>
          {title}
        </button>
        <span class={`end ${end.tone}`}>{end.words}</span>
        {line !== undefined && (
          <button class="again" aria-label={`Again: ${lineInWords(line)}`} onClick={() => void runLine(line)}>
            Again
          </button>
        )}
      </div>
      {effects.map(effect => (
        <EffectView key={effect.key} effect={effect} />
      ))}
    </li>
  );
}

/** The effect of a story on one client, from left to right. */
function EffectView({ effect: { who, topic, tags, took } }: { effect: EffectRow }) {
  return (
    <div class="effect">
      <span>{who}</span>
      <span class="steps">
        {topic && <small>{topic}</small>}
        {tags.map(({ tone, short, times }, i) => (
          <span key={i} class={`tag ${tone}`}>
            {short}
            {times > 1 ? ` ×${times}` : ''}
          </span>
        ))}
      </span>
      <small>{took}</small>
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
