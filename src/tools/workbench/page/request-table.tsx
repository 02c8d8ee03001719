import { useState } from 'preact/hooks';
import type { SeenRequest } from '../world-view.js';

/** How many requests are shown. */
const SHOWN = 100;

/** The log of requests, the newest first. */
export function RequestTable({ requests, name }: { requests: readonly SeenRequest[]; name: string }) {
  const [text, setText] = useState('');
  const [isHanging, setIsHanging] = useState(false);
  const seen = requests.filter(
    request =>
      (!isHanging || request.ended_at == null) &&
      `${request.who} ${request.method} ${request.path} ${outcomeOf(request)}`.includes(text),
  );
  return (
    <>
      <p>
        <label>
          Filter <input type="search" value={text} onInput={event => setText(event.currentTarget.value)} />
        </label>{' '}
        <label>
          <input
            type="checkbox"
            checked={isHanging}
            onChange={event => setIsHanging(event.currentTarget.checked)}
          />{' '}
          only what hangs
        </label>
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label={name}>
        <table>
          <thead>
            <tr>
              {['Time', 'Who', 'Request', 'Answer', 'Events'].map(title => (
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
                <tr key={request.id}>
                  <td>{new Date(request.at).toLocaleTimeString()}</td>
                  <td>{request.who}</td>
                  <td>
                    {request.method} {request.path}
                  </td>
                  <td>{outcomeOf(request)}</td>
                  <td>{request.events.join(', ')}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function outcomeOf({ at, ended_at, status }: SeenRequest): string {
  if (ended_at == null) return 'hangs';
  const after = ` after ${((ended_at - at) / 1_000).toFixed(1)} s`;
  if (status == null) return `aborted${after}`;
  return (status === 0 ? 'connection lost' : String(status)) + after;
}
