import { useState } from 'preact/hooks';
import type { WorldView } from '../../world-view.js';
import { CommandForm, type Run } from './command-form.js';

/** What can be made to happen to a person, who is chosen first. */
export function Person({ view, run }: { view: WorldView; run: Run }) {
  const [who, setWho] = useState('');
  // Without one, it is the identity of the world.
  const forms = {
    run: ((command, fields) => run(command, { ...(who && { who }), ...fields })) satisfies Run,
  };
  const [first, ...others] = view.identities;
  return (
    <section aria-labelledby="person">
      <h2 id="person">Make it happen</h2>
      <label>
        To whom
        <select value={who} onChange={event => setWho(event.currentTarget.value)}>
          <option value="">{first?.display_name} (the printed token)</option>
          {others.reverse().map(({ identity_id, display_name }) => (
            <option key={identity_id} value={identity_id}>
              {display_name}
            </option>
          ))}
        </select>
      </label>
      <CommandForm command="message" label="Message" {...forms}>
        <input name="text" aria-label="Text of the message" value="Are you there?" required />
      </CommandForm>
      <CommandForm command="presence" label="Presence" {...forms}>
        <select name="status" aria-label="Presence">
          {['away', 'online', 'offline'].map(status => (
            <option key={status}>{status}</option>
          ))}
        </select>
      </CommandForm>
      <CommandForm command="profile" label="Rename" {...forms}>
        <input name="name" aria-label="New name" placeholder="another name" required />
      </CommandForm>
      <div class="pair">
        <CommandForm command="lobby" label="Lobby join" {...forms} />
        <form>
          <button type="button" onClick={() => void lose(forms.run)}>
            Lobby join, lost
          </button>
        </form>
      </div>
      <div class="pair">
        <CommandForm command="token expire" label="Expire token" {...forms} />
        <CommandForm command="token renew" label="New token" {...forms} />
      </div>
      <CommandForm command="leave" label="Leave the group" {...forms} />
    </section>
  );
}

/** Until the next poll is held, in ms. */
const NEXT_POLL_MS = 600;

/** Sends a lobby join that does not arrive: the service has kept only the event after it. A client cannot know. */
async function lose(run: Run): Promise<void> {
  await run('fault', { kind: 'last_event_only', only: '/live' });
  // It ends the poll that is held, so that the next one meets the fault.
  await run('message', { text: 'The next poll loses an event.' });
  await new Promise(resolve => setTimeout(resolve, NEXT_POLL_MS));
  await Promise.all([run('lobby'), run('message', { text: 'The lobby join before this is lost.' })]);
}
