import { useState } from 'preact/hooks';
import type { WorldView } from '../world-view.js';
import { CommandForm, type Run, type ShownResult } from './command-form.js';

const MINUTE = 60_000;

/** What can be made to happen. */
export function Actions({ view, run, result }: { view: WorldView; run: Run; result: ShownResult }) {
  const [who, setWho] = useState('');
  // Without one, it is the identity of the world.
  const to: Run = (command, fields) => run(command, { ...(who && { who }), ...fields });
  const forms = { run: to };
  return (
    <section aria-labelledby="actions">
      <h2 id="actions">Make it happen</h2>
      <label>
        To whom{' '}
        <select value={who} onChange={event => setWho(event.currentTarget.value)}>
          <option value="">the first identity</option>
          {[...view.identities].reverse().map(({ identity_id, display_name }) => (
            <option key={identity_id} value={identity_id}>
              {display_name}
            </option>
          ))}
        </select>
      </label>
      <div class="forms">
        <CommandForm command="message" label="Send a message" {...forms}>
          <input name="text" aria-label="Text of the message" value="Are you there?" required />
        </CommandForm>
        <CommandForm command="presence" label="Set presence" {...forms}>
          <input name="status" aria-label="Presence" value="away" list="presences" required />
          <datalist id="presences">
            {['online', 'away', 'offline'].map(status => (
              <option key={status} value={status} />
            ))}
          </datalist>
        </CommandForm>
        <CommandForm command="profile" label="Rename" {...forms}>
          <input name="name" aria-label="New name" required />
        </CommandForm>
        <CommandForm command="lobby" label="Send a lobby join" {...forms} />
        <CommandForm command="leave" label="Leave the group" {...forms} />
        <CommandForm command="token expire" label="Expire the token" {...forms} />
        <CommandForm command="token renew" label="Issue another token" {...forms} />
      </div>
      <div class="forms">
        <CommandForm command="join" label="A new member joins" run={run}>
          <input name="name" aria-label="Name of the new member" />
        </CommandForm>
        <CommandForm command="player" label="Reserve a slot" run={run} />
        <CommandForm command="fault" label="Plan a fault" run={run}>
          <select name="kind" aria-label="Kind of the fault">
            {view.fault_kinds.map(kind => (
              <option key={kind}>{kind}</option>
            ))}
          </select>
          <select name="times" aria-label="How often">
            {['1', '3', '10', 'always'].map(times => (
              <option key={times}>{times}</option>
            ))}
          </select>
          <input name="only" aria-label="Only requests whose URL has" placeholder="only /members" />
        </CommandForm>
        <CommandForm command="fault" label="No more faults" run={run}>
          <input type="hidden" name="kind" value="off" />
        </CommandForm>
        <button type="button" onClick={() => run('workbench/clock', { ms: MINUTE })}>
          The clock jumps a minute
        </button>
      </div>
      {view.planned.length > 0 && (
        <p>
          Planned:{' '}
          {view.planned.map(({ kind, left }) => `${kind} × ${left.replace('Infinity', '∞')}`).join(', ')}
        </p>
      )}
      <pre role="status" class={result instanceof Error ? 'wrong' : ''}>
        {result instanceof Error ? result.message : textOf(result)}
      </pre>
    </section>
  );
}

const textOf = (result: object = {}) =>
  Object.entries(result)
    .map(([name, value]) => (name === 'message' ? String(value) : `${name}: ${String(value)}`))
    .join('\n');
