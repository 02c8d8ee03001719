import { useEffect, useState } from 'preact/hooks';
import { actionOf } from './actions/index.js';
import { CopyButton } from './copy-button.js';
import type { EmulatorClient } from './emulator-client.js';
import { durationInWords, type Effect, type Step, type Story } from './stories/index.js';
import { Strip } from './strip/index.js';
import { testOf } from './test-of.js';

/** The least time that is drawn before a story and after it, in ms. */
const AROUND_MS = 1_500;
/** How many steps are listed. */
const MAX_STEPS = 60;

interface InspectorProps {
  readonly story: Story;
  readonly now: number;
  readonly answerOf: EmulatorClient['answerOf'];
}

/** A story step by step, with each client's actions, a chosen answer, and the same as a test. */
export function Inspector({ story, now, answerOf }: InspectorProps) {
  const { key, at, until, effects, actions, title, end } = story;
  const from = at - AROUND_MS;
  const to = Math.min(now, until + Math.max(AROUND_MS, (until - at) / 4));
  const drawn = effects.filter(({ client, steps }) => client && steps.some(({ request }) => request));
  const steps = namedSteps(drawn.length > 0 ? drawn : effects);
  const answered = steps.find(({ request }) => request?.status !== undefined)?.request?.id;
  const [id, setId] = useState(answered);
  useEffect(() => setId(answered), [key, answered]);
  const expected = actionOf(actions.at(-1)?.line ?? '')?.expected;
  return (
    <div>
      <h2>{title}</h2>
      <p class={end.tone}>{end.words}</p>
      {expected !== undefined && <p>A player of lobby-rx {expected}.</p>}
      {drawn.map(
        ({ key: effect, who, client }) =>
          client && (
            <p key={`${key} ${effect}`} class="lane">
              <small>
                {who}, {client.topic}
              </small>
              <Strip client={client} from={from} to={to} />
            </p>
          ),
      )}
      {steps.length > 0 && <Steps steps={steps} at={at} id={id} setId={setId} hasNames={drawn.length > 1} />}
      {id !== undefined && <Answer key={id} id={id} answerOf={answerOf} />}
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

interface NamedStep extends Step {
  readonly who: string;
}

const namedSteps = (effects: readonly Effect[]): readonly NamedStep[] =>
  effects
    .flatMap(({ steps, who, topic }) =>
      steps.map(step => ({ ...step, who: topic ? `${who}, ${topic}` : who })),
    )
    .sort((a, b) => a.at - b.at)
    .slice(0, MAX_STEPS);

interface StepsProps {
  readonly steps: readonly NamedStep[];
  readonly at: number;
  readonly hasNames: boolean;
  readonly id: number | undefined;
  readonly setId: (id: number) => void;
}

/** The steps, each with its time after `at`. A press on a step shows its answer. */
function Steps({ steps, at, hasNames, id, setId }: StepsProps) {
  return (
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
            <td>{durationInWords(stepAt - at)}</td>
            <td class={tone}>
              {hasNames && <b>{who}: </b>}
              {request === undefined ? (
                words
              ) : (
                <button class="what" aria-pressed={id === request.id} onClick={() => setId(request.id)}>
                  {words}
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The beginning of the answer to a request. */
function Answer({ id, answerOf }: { id: number; answerOf: EmulatorClient['answerOf'] }) {
  const [answer, setAnswer] = useState('');
  useEffect(() => {
    void answerOf(id).catch(String).then(setAnswer);
  }, []);
  return (
    <>
      <h3>The answer</h3>
      <pre tabIndex={0}>{indented(answer) || 'no whole answer'}</pre>
    </>
  );
}

/** JSON with indents. A text that is cut off or is not JSON stays as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
