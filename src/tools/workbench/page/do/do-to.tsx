import type { WorldView } from '../../world-view.js';
import { quoted, whoIs, type Type } from './quoted.js';

/** Until the next poll is held, in ms. */
const NEXT_POLL_MS = 600;

/** What can be done to the chosen player, or to the first one. */
export function DoTo({
  view,
  who_id,
  choose,
  type,
}: {
  view: WorldView;
  who_id: string;
  choose: (who_id: string) => void;
  type: Type;
}) {
  const who = whoIs(who_id, view.self);
  const submit = (command: string) => (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    void type(`${command} ${quoted(form.get('text') as string)}${command === 'join' ? '' : who}`);
  };
  const button = (label: string, line: string, tone = '') => (
    <button type="button" class={tone} onClick={() => void type(line)}>
      {label}
    </button>
  );
  return (
    <section aria-labelledby="do">
      <h2 id="do">Do to</h2>
      <select aria-label="To whom" value={who_id} onChange={event => choose(event.currentTarget.value)}>
        {view.identities.map(({ identity_id, display_name }) => (
          <option key={identity_id} value={identity_id}>
            {display_name}
            {identity_id === view.self ? ' · printed' : ''}
          </option>
        ))}
      </select>
      <form onSubmit={submit('message')}>
        <input name="text" aria-label="Text of the message" value="Are you there?" required />
        <button class="primary">Send</button>
      </form>
      <div class="chips">
        {button('Lobby join', `lobby${who}`)}
        <button type="button" onClick={() => void lose(type, who)}>
          Lobby join, lost
        </button>
        {button('Away', `presence away${who}`)}
        {button('Online', `presence online${who}`)}
        {button('Offline', `presence offline${who}`)}
      </div>
      <form onSubmit={submit('profile')}>
        <input name="text" aria-label="New name" placeholder="another name" required />
        <button>Rename</button>
      </form>
      <h2>Session</h2>
      <div class="chips">
        {button('New token', `token renew${who}`)}
        {button('Expire token', `token expire${who}`, 'danger')}
        {button('Leave the group', `leave who=${who_id}`, 'danger')}
      </div>
      <form onSubmit={submit('join')}>
        <input name="text" aria-label="Name of the new member" placeholder="name" required />
        <button>Someone joins</button>
      </form>
    </section>
  );
}

/** Sends a lobby join that does not arrive, unless another event comes between: the service keeps only the one after it. */
async function lose(type: Type, who: string): Promise<void> {
  await type('fault last_event_only only=/live');
  // It ends the poll that is held, so that the next one meets the fault.
  await type(`message "Before the lobby join."${who}`);
  await new Promise(resolve => setTimeout(resolve, NEXT_POLL_MS));
  await Promise.all([type(`lobby${who}`), type(`message "After the lobby join."${who}`)]);
}
