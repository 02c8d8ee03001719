import { Fragment } from 'preact';
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
  const [opened, setOpened] = useState<{ readonly id: number; readonly answer: string }>();
  const seen = requests.filter(
    request =>
      (!isWaiting || request.ended_at == null) &&
      `${request.who} ${request.method} ${request.path} ${inWords(request)} ${request.events.join(' ')}`.includes(
        text,
      ),
  );
  const open = async (id: number) => {
    setOpened({ id, answer: '' });
    setOpened({ id, answer: await answerOf!(id).catch(String) });
  };
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
                <Fragment key={request.id}>
                  <tr class={request.status == null || request.status === 200 ? '' : 'failed'}>
                    <td>{new Date(request.at).toLocaleTimeString()}</td>
                    <td>{request.who}</td>
                    <td>{topicOf(request.path, groups)}</td>
                    <td>
                      {answerOf ? (
                        <button
                          type="button"
                          class="row"
                          aria-expanded={opened?.id === request.id}
                          onClick={() =>
                            opened?.id === request.id ? setOpened(undefined) : void open(request.id)
                          }
                        >
                          {inWords(request)}
                        </button>
                      ) : (
                        inWords(request)
                      )}{' '}
                      {request.events.map(kind => kind.replaceAll('_', ' ')).join(', ')}
                    </td>
                  </tr>
                  {opened?.id === request.id && (
                    <tr>
                      <td colSpan={4}>
                        <pre tabIndex={0}>
                          {request.method} {request.path}
                          {'\n\n'}
                          {opened.answer || 'no answer that was whole'}
                        </pre>
                      </td>
                    </tr>
                  )}
                </Fragment>
              ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
