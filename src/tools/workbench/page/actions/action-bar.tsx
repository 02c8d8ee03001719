import { useRef, useState } from 'preact/hooks';
import type { SeenIdentity, WorldView } from '../../world-view.js';
import { useListener } from '../use-listener.js';
import { ACTIONS, ALL_ACTIONS, MESSAGE, PLAYER_ACTIONS, TYPED, type Action } from './actions.js';
import { lineOf, whoArgument, type RunLine } from './line-of.js';

/**
 * A guess at the time in which a client sends its next poll, in ms. The page does not look for that
 * poll. If the poll comes later, the lobby join may arrive.
 */
const NEXT_POLL_MS = 600;

interface ActionBarProps extends TargetProps {
  readonly runLine: RunLine;
  readonly moveClock: () => Promise<void>;
}

/**
 * The bar in which people choose an action and a player. Ctrl+K or ⌘K selects the field for any
 * command of the terminal.
 */
export function ActionBar({ view, target, connected, choose, runLine, moveClock }: ActionBarProps) {
  const [action, setAction] = useState<Action>(MESSAGE);
  const [text, setText] = useState(MESSAGE.field?.initial ?? '');
  const input = useRef<HTMLInputElement>(null);
  const { field } = action;
  const select = (selected: Action) => {
    setAction(selected);
    setText(selected.field?.initial ?? '');
  };
  useListener('keydown', event => {
    if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    select(TYPED);
    // Later, because the page draws the field after this call.
    setTimeout(() => input.current?.focus());
  });
  const perform = (): Promise<void> => {
    switch (action.kind) {
      case 'clock':
        return moveClock();
      case 'lost_join':
        return sendLostJoin(runLine, whoArgument(target, view.self));
      case 'typed':
        return runLine(text);
      default:
        return runLine(lineOf(action, text, target, view.self));
    }
  };
  return (
    <form
      class="action-bar"
      onSubmit={event => {
        event.preventDefault();
        void perform();
      }}
    >
      <span aria-hidden="true">Do</span>
      <Actions selected={action} select={select} />
      {field && (
        <input
          ref={input}
          aria-label={field.label}
          placeholder={field.label}
          list={action === TYPED ? 'commands' : undefined}
          autocomplete="off"
          required={!field.isOptional}
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
      )}
      {PLAYER_ACTIONS.includes(action) && (
        <Target view={view} target={target} connected={connected} choose={choose} />
      )}
      <button class="primary">Do it</button>
      <Commands view={view} />
    </form>
  );
}

interface ActionsProps {
  readonly selected: Action;
  readonly select: (action: Action) => void;
}

/** The list of all actions. */
function Actions({ selected, select }: ActionsProps) {
  const selectLabel = (label: string) => select(ALL_ACTIONS.find(action => action.label === label)!);
  return (
    <select aria-label="Do" value={selected.label} onChange={event => selectLabel(event.currentTarget.value)}>
      {ACTIONS.map(({ label, actions }) => (
        <optgroup key={label} label={label}>
          {actions.map(action => (
            <option key={action.label} value={action.label}>
              {action.label}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}

interface TargetProps {
  readonly view: WorldView;
  /** The id of the player on whom actions act. */
  readonly target: string;
  /** The identities whose clients are connected. The list shows them first. */
  readonly connected: readonly string[];
  readonly choose: (who_id: string) => void;
}

/** The player on whom the action acts. */
function Target({ view: { identities, self }, target, connected, choose }: TargetProps) {
  const isConnected = ({ identity_id }: SeenIdentity) => connected.includes(identity_id);
  const optionsOf = (group: readonly SeenIdentity[]) =>
    group.map(({ identity_id, display_name }) => (
      <option key={identity_id} value={identity_id}>
        {display_name}
        {identity_id === self ? ' · printed' : ''}
      </option>
    ));
  return (
    <>
      <span aria-hidden="true">to</span>
      <select aria-label="To whom" value={target} onChange={event => choose(event.currentTarget.value)}>
        <optgroup label="Connected">{optionsOf(identities.filter(isConnected))}</optgroup>
        <optgroup label="Others">{optionsOf(identities.filter(identity => !isConnected(identity)))}</optgroup>
      </select>
    </>
  );
}

/** The commands that the browser offers while someone types. */
function Commands({ view: { commands, fault_kinds } }: { view: WorldView }) {
  return (
    <datalist id="commands">
      {commands.map(({ name, summary }) => (
        <option key={name} value={name}>
          {summary}
        </option>
      ))}
      {fault_kinds.map(kind => (
        <option key={kind} value={`fault ${kind}`} />
      ))}
    </datalist>
  );
}

/**
 * Sends a lobby join that does not arrive, because the fault keeps only the last event of an
 * answer. The join arrives if another event comes before it and uses the fault up.
 */
async function sendLostJoin(runLine: RunLine, who: string): Promise<void> {
  await runLine('fault last_event_only only=/live');
  // This ends the poll that is held. The next poll meets the fault.
  await runLine(`message "Before the lobby join."${who}`);
  await new Promise(resolve => setTimeout(resolve, NEXT_POLL_MS));
  await Promise.all([runLine(`lobby${who}`), runLine(`message "After the lobby join."${who}`)]);
}
