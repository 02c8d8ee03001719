import { useEffect, useRef, useState } from 'preact/hooks';
import type { SeenAction, SeenRequest, WorldView } from '../../world-view.js';
import { CopyButton } from '../copy-button.js';
import type { Type } from '../do/index.js';
import { inWords } from './in-words.js';
import { LiveMarbles } from './live-marbles.js';
import { RowView } from './row-view.js';
import { rowsOf, type Row } from './rows-of.js';
import { testOf } from './test-of.js';

/** How many rows are shown. */
const SHOWN = 200;

/** What happened to the chosen player, or to all: marbles, and below them what they mean. */
export function Happened({
  requests,
  actions,
  groups,
  ahead,
  type,
  answerOf,
}: {
  requests: readonly SeenRequest[];
  actions: readonly SeenAction[];
  groups: WorldView['groups'];
  ahead: number;
  type: Type;
  answerOf: (id: number) => Promise<string>;
}) {
  const [text, setText] = useState('');
  const [isEach, setIsEach] = useState(false);
  const [opened, open] = useState<string>();
  /** What came later is not shown: what is looked at stays where it is. */
  const [until, hold] = useState<number>();
  const list = useRef<HTMLOListElement>(null);
  const all = isEach ? eachOf(requests) : rowsOf(requests, actions);
  const found =
    text === '' ? all : all.filter(row => wordsIn(row).toLowerCase().includes(text.toLowerCase()));
  const shown = until === undefined ? found : found.filter(({ at }) => at <= until);
  const now = () => Date.now() + ahead;
  const toggle = (row: Row) => {
    open(opened === row.key ? undefined : row.key);
    hold(until ?? now());
  };
  const move = (by: number) => {
    const buttons = [...list.current!.querySelectorAll<HTMLButtonElement>('.what')];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    buttons[Math.min(buttons.length - 1, Math.max(0, at + by))]?.focus();
    hold(until ?? now());
  };
  useEffect(() => {
    const walk = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      if (ctrlKey || metaKey || altKey || (target as Element).matches('input, select')) return;
      if (key === 'j' || key === 'k') move(key === 'j' ? 1 : -1);
    };
    addEventListener('keydown', walk);
    return () => removeEventListener('keydown', walk);
  });
  /** Shows the row of what was chosen in the picture. */
  const pick = (at: number) => {
    hold(until ?? now());
    const near = [...shown].sort((a, b) => Math.abs(a.at - at) - Math.abs(b.at - at))[0];
    if (near) open(near.key);
  };
  return (
    <>
      <LiveMarbles
        {...{ requests, actions, groups, ahead, pick }}
        isPaused={until !== undefined}
        mark={shown.find(({ key }) => key === opened)?.at}
      />
      <div class="bar">
        <input
          type="search"
          aria-label="Filter"
          placeholder="Filter: player, kind, text…"
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
        <select aria-label="Show" onChange={event => setIsEach(event.currentTarget.value === 'each')}>
          <option value="">Events and faults</option>
          <option value="each">Every request</option>
        </select>
        <button
          type="button"
          aria-pressed={until !== undefined}
          onClick={() => hold(until === undefined ? now() : undefined)}
        >
          {until === undefined ? 'Pause' : `Continue (${found.length - shown.length} new)`}
        </button>
        <CopyButton label="Copy as test" text={() => Promise.resolve(testOf(actions))} />
      </div>
      <ol ref={list} class="rows" aria-label="What happened, the newest first">
        {shown.slice(0, SHOWN).map(row => (
          <RowView
            key={row.key}
            {...{ row, groups, type, answerOf }}
            isOpen={opened === row.key}
            toggle={() => toggle(row)}
          />
        ))}
      </ol>
    </>
  );
}

const eachOf = (requests: readonly SeenRequest[]): readonly Row[] =>
  requests
    .map((request): Row => ({ kind: 'request', key: `r${request.id}`, at: request.at, requests: [request] }))
    .reverse();

/** What a filter looks at. */
function wordsIn(row: Row): string {
  if (row.kind === 'action')
    return [`you ${row.action.line} ${row.outcome}`, ...row.rows.map(wordsIn)].join(' ');
  if (row.kind === 'event') return `${row.request.who} ${row.event.kind} ${row.event.text}`;
  return row.requests.map(request => `${request.who} ${request.path} ${inWords(request)}`).join(' ');
}
