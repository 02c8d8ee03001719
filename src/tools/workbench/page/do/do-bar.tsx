import { useEffect, useRef, useState } from 'preact/hooks';
import type { SeenIdentity, WorldView } from '../../world-view.js';
import { DEEDS, type Deed } from './deeds.js';
import { quoted, whoIs, type Type } from './quoted.js';

/** How long it takes until the next poll is held, in ms. */
const NEXT_POLL_MS = 600;
const ANY = DEEDS.findIndex(({ special }) => special === 'typed');
const GROUPS = [...new Set(DEEDS.map(({ group }) => group))];

/**
 * The bar in which people choose an action and a player. Ctrl+K or ⌘K selects the field for any
 * command of the terminal.
 */
export function DoBar({
  view,
  subject: { target: who_id, connected },
  choose,
  type,
  moveClock,
}: {
  view: WorldView;
  subject: {
    readonly target: string;
    /** The identities whose clients are connected. The list shows them first. */
    readonly connected: readonly string[];
  };
  choose: (who_id: string) => void;
  type: Type;
  moveClock: () => void;
}) {
  const [at, setAt] = useState(0);
  const [text, setText] = useState(DEEDS[0]!.text![1]);
  const input = useRef<HTMLInputElement>(null);
  const deed = DEEDS[at]!;
  const pick = (index: number) => {
    setAt(index);
    setText(DEEDS[index]!.text?.[1] ?? '');
  };
  useCommandKey(() => {
    pick(ANY);
    setTimeout(() => input.current?.focus());
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (deed.special === 'clock') moveClock();
    else if (deed.special === 'loss') void lose(type, whoIs(who_id, view.self));
    else void type(lineOf(deed, text, who_id, view.self));
  };
  return (
    <form class="do" onSubmit={submit}>
      <span aria-hidden="true">Do</span>
      <Deeds at={at} pick={pick} />
      {deed.text && (
        <input
          ref={input}
          aria-label={deed.text[0]}
          placeholder={deed.text[0]}
          list={at === ANY ? 'commands' : undefined}
          autocomplete="off"
          required={deed.line !== 'join'}
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
      )}
      {deed.isToOne && <Target view={view} who_id={who_id} connected={connected} choose={choose} />}
      <button class="primary">Do it</button>
      <Commands view={view} />
    </form>
  );
}

/** Calls a function when Ctrl+K is pressed. */
function useCommandKey(act: () => void) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** The list of things to do. */
function Deeds({ at, pick }: { at: number; pick: (index: number) => void }) {
  return (
    <select aria-label="Do" value={at} onChange={event => pick(Number(event.currentTarget.value))}>
      {GROUPS.map(group => (
        <optgroup key={group} label={group}>
          {DEEDS.map((deed, i) =>
            deed.group === group ? (
              <option key={deed.label} value={i}>
                {deed.label}
              </option>
            ) : null,
          )}
        </optgroup>
      ))}
    </select>
  );
}

/** The player on whom the command acts. */
function Target({
  view: { identities, self },
  who_id,
  connected,
  choose,
}: {
  view: WorldView;
  who_id: string;
  connected: readonly string[];
  choose: (who_id: string) => void;
}) {
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
      <select aria-label="To whom" value={who_id} onChange={event => choose(event.currentTarget.value)}>
        <optgroup label="Connected">{optionsOf(identities.filter(isConnected))}</optgroup>
        <optgroup label="Others">{optionsOf(identities.filter(identity => !isConnected(identity)))}</optgroup>
      </select>
    </>
  );
}

/** The commands that the browser offers while someone types. */
function Commands({ view: { help, fault_kinds } }: { view: WorldView }) {
  const commands = help.split('\n').map(line => line.split(/ {2,}/) as [string, string?]);
  return (
    <datalist id="commands">
      {commands.map(([usage, summary]) => (
        <option key={usage} value={usage.replace(/ [A-Z[].*/, '')}>
          {summary}
        </option>
      ))}
      {fault_kinds.map(kind => (
        <option key={kind} value={`fault ${kind}`} />
      ))}
    </datalist>
  );
}

function lineOf({ line, text: field, isToOne }: Deed, text: string, who_id: string, self: string): string {
  if (line === undefined) return text;
  const value = field && text !== '' ? ` ${quoted(text)}` : '';
  // Without a `who`, `leave` would act on the member that joined last.
  const who = line === 'leave' ? ` who=${who_id}` : whoIs(who_id, self);
  return `${line}${value}${isToOne ? who : ''}`;
}

/**
 * Sends a lobby join that does not arrive, because the fault keeps only the last event of an
 * answer. The join arrives if another event comes before it and uses the fault up.
 */
async function lose(type: Type, who: string): Promise<void> {
  await type('fault last_event_only only=/live');
  // This ends the poll that is held. The next poll meets the fault.
  await type(`message "Before the lobby join."${who}`);
  await new Promise(resolve => setTimeout(resolve, NEXT_POLL_MS));
  await Promise.all([type(`lobby${who}`), type(`message "After the lobby join."${who}`)]);
}
