import { useEffect, useState } from 'preact/hooks';
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
  const [isOpen, setIsOpen] = useState(false);
  const [answer, setAnswer] = useState('');
  const { id, at, who, method, path, status, events, ended_at } = request;
  useEffect(() => {
    if (isOpen) void answerOf?.(id).catch(String).then(setAnswer);
  }, [isOpen, ended_at]);
  const none = ended_at == null ? 'no answer yet' : 'no answer that was whole';
  return (
    <>
      <tr class={status == null || status === 200 ? '' : 'failed'}>
        <td>{new Date(at).toLocaleTimeString()}</td>
        <td>{who}</td>
        <td>{topicOf(path, groups)}</td>
        <td>
          {answerOf ? (
            <button type="button" class="row" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
              {inWords(request)}
            </button>
          ) : (
            inWords(request)
          )}{' '}
          {events.map(kind => kind.replaceAll('_', ' ')).join(', ')}
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={4}>
            <pre tabIndex={0}>{`${method} ${path}\n\n${answer || none}`}</pre>
          </td>
        </tr>
      )}
    </>
  );
}
