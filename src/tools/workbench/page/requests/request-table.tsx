import { useState } from 'preact/hooks';
import type { SeenRequest, WorldView } from '../../world-view.js';
import { inWords, topicOf } from './in-words.js';

/** How many requests are shown. */
const SHOWN = 100;

/** The log of requests, the newest first. A row opens its answer, if `answerOf` has it. */
export function RequestTable({
  requests,
  name,
  groups,
  answerOf,
}: {
  requests: readonly SeenRequest[];
  name: string;
  groups?: WorldView['groups'];
  answerOf?: (id: number) => Promise<string>;
}) {
  const [text, setText] = useState('');
  const [isWaiting, setIsWaiting] = useState(false);
  const seen = requests.filter(request => {
    const { who, method, path, events, ended_at } = request;
    const words = [who, method, path, inWords(request), ...events].join(' ');
    return (!isWaiting || ended_at == null) && words.includes(text);
  });
  return (
    <>
      <div class="bar">
        <input
          type="search"
          aria-label="Filter"
          placeholder="filter"
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
        <label>
          <input
            type="checkbox"
            checked={isWaiting}
            onChange={event => setIsWaiting(event.currentTarget.checked)}
          />
          only waiting
        </label>
      </div>
      <div class="scroll requests" tabIndex={0} role="region" aria-label={name}>
        <table>
          <thead>
            <tr>
              {['Time', 'Who', 'Request', 'What it was'].map(title => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {seen
              .slice(-SHOWN)
              .reverse()
              .map(request => (
                <RequestRow key={request.id} {...{ request, groups, answerOf }} />
              ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** A request in words. It opens its answer. */
function RequestRow({
  request,
  groups,
  answerOf,
}: {
  request: SeenRequest;
  groups: WorldView['groups'] | undefined;
  answerOf: ((id: number) => Promise<string>) | undefined;
}) {
  const [answer, setAnswer] = useState<string>();
  const { id, at, who, method, path, status, events } = request;
  const open = async () => {
    setAnswer('');
    setAnswer(await answerOf!(id).catch(String));
  };
  const toggle = () => (answer === undefined ? void open() : setAnswer(undefined));
  return (
    <>
      <tr class={status == null || status === 200 ? '' : 'failed'}>
        <td>{new Date(at).toLocaleTimeString()}</td>
        <td>{who}</td>
        <td>{topicOf(path, groups)}</td>
        <td>
          {answerOf ? (
            <button type="button" class="row" aria-expanded={answer !== undefined} onClick={toggle}>
              {inWords(request)}
            </button>
          ) : (
            inWords(request)
          )}{' '}
          {events.map(kind => kind.replaceAll('_', ' ')).join(', ')}
        </td>
      </tr>
      {answer !== undefined && (
        <tr>
          <td colSpan={4}>
            <pre tabIndex={0}>{`${method} ${path}\n\n${answer || 'no answer that was whole'}`}</pre>
          </td>
        </tr>
      )}
    </>
  );
}
