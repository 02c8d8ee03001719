import { useEffect, useState } from 'preact/hooks';
import type { WorldView } from '../../world-view.js';
import { spoken, type Type } from '../do/index.js';
import { outcomeOf, topicOf } from '../outcome/index.js';
import { deliveredAfter, inWords, timeOf } from './in-words.js';
import type { EventRow, Row } from './rows-of.js';

interface Shown {
  readonly groups: WorldView['groups'];
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly type: Type;
  readonly answerOf: (id: number) => Promise<string>;
}

/** A row in words. It opens the answer that it is about. */
export function RowView({ row, ...shown }: Shown & { row: Row }) {
  if (row.kind === 'event') return <EventView {...{ row }} {...shown} />;
  if (row.kind === 'action') {
    const { line } = row.action;
    return (
      <>
        <li class="you">
          <time>{timeOf(row.at)}</time>
          <span aria-hidden="true">▸</span>
          <button type="button" class="what" onClick={shown.toggle}>
            You: {spoken(line)} {row.outcome && <b class="bad">{row.outcome}</b>}
          </button>
          <button type="button" onClick={() => void shown.type(line)} aria-label={`Again: ${line}`}>
            Again
          </button>
        </li>
        {row.rows.map(event => (
          <EventView key={event.key} {...shown} row={event} isChild />
        ))}
      </>
    );
  }
  const { requests } = row;
  const last = requests.at(-1)!;
  const hasFailed = outcomeOf(last).isTrouble;
  const topics = [...new Set(requests.map(({ path }) => topicOf(path, shown.groups)))].join(', ');
  return (
    <Line
      {...shown}
      at={row.at}
      sign={hasFailed ? '✕' : row.kind === 'quiet' ? '·' : '↻'}
      tone={hasFailed ? 'bad' : 'gone'}
      details={() => textOf(last.id, `${last.method} ${last.path}`, shown.answerOf)}
    >
      {requests.length === 1
        ? `${last.who}, ${topics}: ${inWords(last)}`
        : row.kind === 'quiet'
          ? `${requests.length} polls without news: ${topics}`
          : `${requests.length} requests failed, ${topics}; the last: ${inWords(last)}`}
    </Line>
  );
}

function EventView({ row, isChild, ...shown }: Shown & { row: EventRow; isChild?: boolean }) {
  const { event, request, was } = row;
  const kind = event.kind.replace(/^matchmaker_/, '').replaceAll('_', ' ');
  return (
    <Line
      {...shown}
      at={row.at}
      sign={kind.charAt(0).toUpperCase()}
      tone={isChild ? 'child' : ''}
      result={deliveredAfter(row.at - event.at)}
      details={() => textOf(request.id, `${request.method} ${request.path}`, shown.answerOf)}
    >
      <b>{request.who}</b> got {kind}: {event.text} {was !== undefined && <small>(was {was})</small>}
    </Line>
  );
}

const textOf = async (id: number, request: string, answerOf: Shown['answerOf']) =>
  `${request}\n\n${indented((await answerOf(id)) || 'no answer that was whole')}`;

/** What is cut off, or is no JSON, stays as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

function Line({
  at,
  sign,
  tone,
  children,
  result = '',
  details,
  isOpen,
  toggle,
}: Pick<Shown, 'isOpen' | 'toggle'> & {
  at: number;
  sign: string;
  tone: string;
  children: preact.ComponentChildren;
  result?: string;
  details: () => Promise<string>;
}) {
  const [text, setText] = useState('');
  useEffect(() => {
    if (isOpen) void details().catch(String).then(setText);
  }, [isOpen]);
  return (
    <li class={tone}>
      <time>{timeOf(at)}</time>
      <span aria-hidden="true">{sign}</span>
      <button type="button" class="what" aria-expanded={isOpen} onClick={toggle}>
        {children}
      </button>
      <small class="ok">{result}</small>
      {isOpen && <pre tabIndex={0}>{text}</pre>}
    </li>
  );
}
