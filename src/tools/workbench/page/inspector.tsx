import { useEffect, useState } from 'preact/hooks';
import { CopyButton } from './copy-button.js';
import { deedOf } from './do/index.js';
import type { EmulatorClient } from './emulator-client.js';
import type { Line } from './outcome/index.js';
import { inSeconds, type Story } from './stories/index.js';

import { Strip } from './strip/index.js';
import { testOf } from './test-of.js';

/** What is drawn before a story and after it, at least, in ms. */
const AROUND_MS = 1_500;
/** How many steps are listed. */
const LISTED = 60;

/** A story, step by step: what each client did, the answer that it got, and the same as a test. */
export function Inspector({
  story,
  now,
  answerOf,
}: {
  story: Story;
  now: number;
  answerOf: EmulatorClient['answerOf'];
}) {
  const { at, until, effects, actions, title, end } = story;
  const from = at - AROUND_MS;
  const to = Math.min(now, until + Math.max(AROUND_MS, (until - at) / 4));
  const drawn = effects.filter(({ line, steps }) => line && steps.some(({ request }) => request));
  const steps = (drawn.length > 0 ? drawn : effects)
    .flatMap(({ steps, who, line }) => steps.map(step => ({ ...step, who: nameOf(who, line) })))
    .sort((a, b) => a.at - b.at)
    .slice(0, LISTED);
  const asked = steps.find(({ request }) => request?.status !== undefined)?.request?.id;
  const [id, setId] = useState(asked);
  const [answer, setAnswer] = useState('');
  useEffect(() => setId(asked), [story.key, asked]);
  useEffect(() => {
    setAnswer('');
    if (id !== undefined) void answerOf(id).catch(String).then(setAnswer);
  }, [id]);
  const line = actions.at(-1)?.line ?? '';
  const expected = deedOf(line)?.expected;
  return (
    <div>
      <h2>{title}</h2>
      <p class={end.tone}>{end.words}</p>
      {expected !== undefined && <p>A player of lobby-rx {expected}.</p>}
      {drawn.map(({ key, who, line }) =>
        line ? (
          <p key={key} class="lane">
            <small>
              {who}, {line.topic}
            </small>
            <Strip {...{ line, from, to, now }} />
          </p>
        ) : null,
      )}
      {steps.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>after</th>
              <th>what</th>
            </tr>
          </thead>
          <tbody>
            {steps.map(({ at: stepAt, tone, words, who, request }, i) => (
              <tr key={i}>
                <td>{inSeconds(stepAt - at)}</td>
                <td class={tone}>
                  {drawn.length > 1 && <b>{who}: </b>}
                  {request === undefined ? (
                    words
                  ) : (
                    <button
                      type="button"
                      class="what"
                      aria-pressed={id === request.id}
                      onClick={() => setId(request.id)}
                    >
                      {words}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {id !== undefined && (
        <>
          <h3>The answer</h3>
          <pre tabIndex={0}>{indented(answer) || 'no answer that was whole'}</pre>
        </>
      )}
      {actions.length > 0 && (
        <>
          <h3>In a test</h3>
          <CopyButton label="Copy as test" text={() => Promise.resolve(testOf(actions))} />
          <pre tabIndex={0}>{testOf(actions)}</pre>
        </>
      )}
    </div>
  );
}

const nameOf = (who: string, line: Line | undefined) =>
  line && line.topic !== 'live events' ? `${who}, ${line.topic}` : who;

/** What is cut off, or is no JSON, stays as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
