/** An entry of the list of things to do, under the name that people use. */
export interface Deed {
  readonly label: string;
  /** The command, without its text and without the player on whom it acts. */
  readonly line?: string;
  /** Something that no single command does, or `typed` for a command that people type. */
  readonly special?: 'clock' | 'loss' | 'typed';
  readonly group: string;
  /** Whether it acts on one player. */
  readonly isToOne?: true;
  /** The name of its text, and the value that the text field starts with. */
  readonly text?: readonly [name: string, value: string];
  /** The result that a player of lobby-rx should then see. */
  readonly expected?: string;
}

const PLAYER = 'To a player';
const BREAK = 'Break for everyone';
const MORE = 'More';

/** All things to do. Faults have the names that people use, and also hit polls that are held. */
export const DEEDS: readonly Deed[] = [
  { group: PLAYER, label: 'Message', line: 'message', isToOne: true, text: ['Text', 'Are you there?'] },
  { group: PLAYER, label: 'Lobby join', line: 'lobby', isToOne: true },
  { group: PLAYER, label: 'Lobby join, lost', special: 'loss', isToOne: true },
  { group: PLAYER, label: 'Away', line: 'presence away', isToOne: true },
  { group: PLAYER, label: 'Online', line: 'presence online', isToOne: true },
  { group: PLAYER, label: 'Offline', line: 'presence offline', isToOne: true },
  { group: PLAYER, label: 'Rename', line: 'profile', isToOne: true, text: ['New name', ''] },
  { group: PLAYER, label: 'New token', line: 'token renew', isToOne: true },
  { group: PLAYER, label: 'Expire token', line: 'token expire', isToOne: true },
  { group: PLAYER, label: 'Leave the group', line: 'leave', isToOne: true },
  {
    group: BREAK,
    label: 'Proxy answers 502',
    line: 'break proxy',
    expected: 'tries again, and is live within six seconds; nothing is lost',
  },
  {
    group: BREAK,
    label: 'Service down 10 s',
    line: 'break down',
    expected: 'tries again, and is live after it; nothing is lost',
  },
  {
    group: BREAK,
    label: 'Service restarts',
    line: 'break restart',
    expected: 'tries again, and is live after it; nothing is lost',
  },
  {
    group: BREAK,
    label: 'Poll is cut',
    line: 'break cut',
    expected: 'polls again at once; a poll that was held for less than 5 s has failed',
  },
  {
    group: BREAK,
    label: 'Rate limited',
    line: 'break limit',
    expected: 'waits as long as the service says, and is live after it',
  },
  {
    group: BREAK,
    label: 'Events lost',
    line: 'break lose',
    expected: 'gets a gap before the next event: something may have been missed',
  },
  { group: BREAK, label: 'No more faults', line: 'fault off' },
  { group: MORE, label: 'Someone joins', line: 'join', text: ['Name of the new member', ''] },
  { group: MORE, label: 'Clock + 1 min', special: 'clock' },
  { group: MORE, label: 'Any command', special: 'typed', text: ['Command', ''] },
];

/** The fault whose whole command is this line. */
export const deedOf = (line: string): Deed | undefined =>
  DEEDS.find(deed => deed.group === BREAK && deed.line === line);
