/** The text field of an action. */
interface Field {
  readonly label: string;
  /** The text that the field starts with. Default: none. */
  readonly initial?: string;
  /** Whether the field may stay empty. Default false. */
  readonly isOptional?: true;
}

/** What all actions have. */
interface ActionBase {
  /** The name that people use. No two actions have the same. */
  readonly label: string;
  readonly field?: Field;
  /** What a player of lobby-rx should then do. */
  readonly expected?: string;
}

/** Runs a command of the terminal, or a break of `breaks.ts`. */
export interface CommandAction extends ActionBase {
  readonly kind?: undefined;
  /** The command, without the text of the field and without the player on whom it acts. */
  readonly line: string;
}

/**
 * Does something that no single command does:
 * - `clock`: moves the clock of the service.
 * - `lost_join`: sends a lobby join that does not arrive.
 * - `typed`: runs the command in the field.
 */
interface SpecialAction extends ActionBase {
  readonly kind: 'clock' | 'lost_join' | 'typed';
}

/** An action that people choose in the bar. The performed ones are `SeenAction`s. */
export type Action = CommandAction | SpecialAction;

interface ActionGroup {
  readonly label: string;
  readonly actions: readonly Action[];
}

/** The action that the bar starts with. */
export const MESSAGE: CommandAction = {
  label: 'Message',
  line: 'message',
  field: { label: 'Text', initial: 'Are you there?' },
};

/** The action for any command of the terminal. */
export const TYPED: Action = { label: 'Any command', kind: 'typed', field: { label: 'Command' } };

/** The actions on one player. */
export const PLAYER_ACTIONS: readonly Action[] = [
  MESSAGE,
  { label: 'Lobby join', line: 'lobby' },
  { label: 'Lobby join, lost', kind: 'lost_join' },
  { label: 'Away', line: 'presence away' },
  { label: 'Online', line: 'presence online' },
  { label: 'Offline', line: 'presence offline' },
  { label: 'Rename', line: 'profile', field: { label: 'New name' } },
  { label: 'New token', line: 'token renew' },
  { label: 'Expire token', line: 'token expire' },
  { label: 'Leave the group', line: 'leave' },
];

/**
 * What can be broken for everyone. `BREAKS` in `tools/workbench/breaks.ts` has the faults of each
 * line `break NAME`. They also hit polls that are held.
 */
export const BREAK_ACTIONS: readonly CommandAction[] = [
  {
    label: 'Proxy answers 502',
    line: 'break proxy',
    expected: 'tries again, and is live within six seconds; nothing is lost',
  },
  {
    label: 'Service down 10 s',
    line: 'break down',
    expected: 'tries again, and is live after it; nothing is lost',
  },
  {
    label: 'Service restarts',
    line: 'break restart',
    expected: 'tries again, and is live after it; nothing is lost',
  },
  {
    label: 'Poll is cut',
    line: 'break cut',
    expected: 'polls again at once; a poll that was held for less than 5 s has failed',
  },
  {
    label: 'Rate limited',
    line: 'break limit',
    expected: 'waits as long as the service says, and is live after it',
  },
  {
    label: 'Answers without an index',
    line: 'break lose',
    expected: 'gets its next answer without an index, and then a gap: something may have been missed',
  },
  { label: 'No more faults', line: 'fault off' },
];

const OTHER_ACTIONS: readonly Action[] = [
  { label: 'Someone joins', line: 'join', field: { label: 'Name of the new member', isOptional: true } },
  { label: 'Clock + 1 min', kind: 'clock' },
  TYPED,
];

/** All actions, in the groups of the bar. */
export const ACTIONS: readonly ActionGroup[] = [
  { label: 'To a player', actions: PLAYER_ACTIONS },
  { label: 'Break for everyone', actions: BREAK_ACTIONS },
  { label: 'More', actions: OTHER_ACTIONS },
];

/** All actions, without their groups. */
export const ALL_ACTIONS: readonly Action[] = ACTIONS.flatMap(({ actions }) => actions);

/** The action of the bar that runs a line. Only the text of its field may follow its own line. */
export const actionOf = (line: string): CommandAction | undefined =>
  ALL_ACTIONS.find(
    (action): action is CommandAction =>
      action.kind === undefined &&
      (line === action.line || (action.field !== undefined && line.startsWith(`${action.line} `))),
  );

/** Words for the kinds of faults that do not say by their names what happens. */
const FAULT_WORDS: Readonly<Record<string, string>> = {
  html: 'A page of a proxy',
  last_event_only: 'Only the last event is kept',
};

/** The fault that a request met, in words: that of a button, or of a kind of fault. */
export function faultInWords(fault: string): string {
  const words = actionOf(`break ${fault}`)?.label ?? FAULT_WORDS[fault] ?? fault.replaceAll('_', ' ');
  return `the fault “${words}”`;
}
