/** Something to do, as people call it. */
export interface Deed {
  readonly label: string;
  /** The line that does it, before its text and before whom it acts on. */
  readonly line: string;
  readonly group: string;
  /** Whether it acts on one player. */
  readonly isToOne?: true;
  /** What its text is called, and what it is at first. */
  readonly text?: readonly [name: string, value: string];
  /** What a player of lobby-rx should then see. */
  readonly expected?: string;
  /** What a test of a program does instead of the line. */
  readonly code?: string;
}

const PLAYER = 'To a player';
const BREAK = 'Break for everyone';
const MORE = 'More';

/** What can be done. Faults are named as people see them, and meet polls that are held, too. */
export const DEEDS: readonly Deed[] = [
  { group: PLAYER, label: 'Message', line: 'message', isToOne: true, text: ['Text', 'Are you there?'] },
  { group: PLAYER, label: 'Lobby join', line: 'lobby', isToOne: true },
  { group: PLAYER, label: 'Lobby join, lost', line: 'lost', isToOne: true },
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
    code: "emulator.fault({ kind: 'html' }, { times: 2 });",
  },
  {
    group: BREAK,
    label: 'Service down 10 s',
    line: 'break down',
    expected: 'tries again, and is live after it; nothing is lost',
    code: "emulator.fault({ kind: 'reset_before_request' }, { times: Infinity });",
  },
  {
    group: BREAK,
    label: 'Service restarts',
    line: 'break restart',
    expected: 'tries again, and is live within seconds; nothing is lost',
    code: "emulator.fault({ kind: 'reset_before_request' }, { times: 3 });",
  },
  {
    group: BREAK,
    label: 'Poll is cut',
    line: 'break cut',
    expected: 'polls again at once; a poll that was held for less than 5 s has failed',
    code: "emulator.fault({ kind: 'reset_before_headers' });",
  },
  {
    group: BREAK,
    label: 'Rate limited',
    line: 'break limit',
    expected: 'waits as long as the service says, and is live after it',
    code: "emulator.fault({ kind: 'rate_limited' });",
  },
  {
    group: BREAK,
    label: 'Events lost',
    line: 'break lose',
    expected: 'gets a gap before the next event: something may have been missed',
    code: "emulator.fault({ kind: 'index_missing' });",
  },
  { group: BREAK, label: 'No more faults', line: 'fault off' },
  { group: MORE, label: 'Someone joins', line: 'join', text: ['Name of the new member', ''] },
  { group: MORE, label: 'Clock + 1 min', line: 'clock' },
  { group: MORE, label: 'Any command', line: '', text: ['Command', ''] },
];

/** What does a line, if it is done as it stands. */
export const deedOf = (line: string): Deed | undefined =>
  DEEDS.find(deed => deed.group === BREAK && deed.line === line);
