import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { RunLine } from '../actions/index.js';
import { useListener } from '../use-listener.js';
import type { Story } from './story.js';
import { StoryView } from './story-view.js';

/** How many stories are shown. */
const MAX_SHOWN = 200;

interface StoryListProps {
  readonly stories: readonly Story[];
  readonly chosen: string | undefined;
  readonly opened: string | undefined;
  readonly open: (key: string) => void;
  readonly runLine: RunLine;
  /** Whether each request is shown, instead of stories. */
  readonly isEach: boolean;
  readonly setIsEach: (isEach: boolean) => void;
}

/** The stories, the newest first, below a filter. While someone reads them, new stories wait. */
export function StoryList({ stories, chosen, opened, open, runLine, isEach, setIsEach }: StoryListProps) {
  const [text, setText] = useState('');
  const list = useRef<HTMLOListElement>(null);
  const { until, read, leave, goOn } = useReading(list, stories[0]?.at);
  const all = stories.filter(story => isAbout(story, chosen) && has(story, text));
  const shown = until === undefined ? all : all.filter(({ at }) => at <= until);
  const waiting = all.length - shown.length;
  useWalk(list);
  return (
    <div
      onPointerEnter={event => event.pointerType === 'mouse' && read()}
      onPointerLeave={leave}
      onFocusIn={() => isTouched() || read()}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        // From one story to the next, it is read on.
        if (!currentTarget.contains(relatedTarget as Node | null)) leave();
      }}
    >
      <div class="bar">
        <input
          type="search"
          aria-label="Filter"
          placeholder="Filter: player, kind, text…"
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
        <button aria-pressed={isEach} onClick={() => setIsEach(!isEach)}>
          Every request
        </button>
        {waiting > 0 && (
          <button class="primary" onClick={goOn}>
            {waiting} new
          </button>
        )}
      </div>
      <ol ref={list} class="stories">
        {shown.slice(0, MAX_SHOWN).map(story => (
          <StoryView
            key={story.key}
            story={story}
            chosen={chosen}
            runLine={runLine}
            open={{ isOpen: opened === story.key, toggle: () => open(story.key) }}
          />
        ))}
      </ol>
    </div>
  );
}

/**
 * While someone reads the list, `until` is the time of the newest story when they began. Stories
 * after that time wait. A mouse over the list or a focus in it shows that someone reads. On a touch
 * screen, a scrolled list shows it.
 */
function useReading(list: RefObject<HTMLOListElement>, newest: number | undefined) {
  const [until, hold] = useState<number>();
  const isScrolled = () => isTouched() && list.current!.getBoundingClientRect().top < 0;
  const read = () => hold(before => before ?? newest);
  const leave = () => {
    if (!isScrolled()) hold(undefined);
  };
  const goOn = () => {
    hold(undefined);
    // After the new stories are drawn, because the browser keeps the old ones in view until then.
    if (isTouched()) setTimeout(() => list.current!.scrollIntoView());
  };
  useListener('scroll', () => {
    if (!isTouched()) return;
    if (isScrolled()) read();
    else leave();
  });
  return { until, read, leave, goOn };
}

const isTouched = () => matchMedia('(hover: none)').matches;

/** Moves the focus through the stories with the keys j and k. */
function useWalk(list: RefObject<HTMLOListElement>) {
  useListener('keydown', ({ key, target, ctrlKey, metaKey, altKey }) => {
    if (ctrlKey || metaKey || altKey || (target as Element).matches('input, select')) return;
    if (key !== 'j' && key !== 'k') return;
    const buttons = [...list.current!.querySelectorAll<HTMLButtonElement>('.what')];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement) + (key === 'j' ? 1 : -1);
    buttons[Math.min(buttons.length - 1, Math.max(0, at))]?.focus();
  });
}

/** Whether a story is about the chosen identity, or had an effect on it. */
const isAbout = ({ who_id, effects }: Story, chosen: string | undefined) =>
  chosen === undefined || who_id === chosen || effects.some(effect => effect.who_id === chosen);

/** Whether a story contains the text of the filter, in upper or lower case. */
const has = (story: Story, text: string) =>
  text === '' || wordsIn(story).toLowerCase().includes(text.toLowerCase());

const wordsIn = ({ title, end, effects, actions }: Story) =>
  [
    title,
    end.words,
    ...actions.map(({ line }) => line),
    ...effects.flatMap(({ who, steps }) => [who, ...steps.flatMap(({ words, short }) => [words, short])]),
  ].join(' ');
