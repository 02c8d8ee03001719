import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import type { WatchStatus } from 'lobby-rx';
import type { Summary } from './summary.js';

type Style = Parameters<typeof styleText>[0];

/** What a line may be about, with the sign and the colour it has. */
const LINES = {
  status: ['●', 'cyan'],
  profile: ['✎', 'blue'],
  presence: ['○', 'gray'],
  members: ['±', 'magenta'],
  message: ['✉', 'yellow'],
  lobby: ['▶', 'cyan'],
  admitted: ['✔', 'green'],
  refused: ['✖', 'red'],
} as const satisfies Record<string, readonly [string, Style]>;

export type Screen = ReturnType<typeof createScreen>;

/** Writes the show: with colours and a moving progress line where a person looks on, plainly where a file does. */
export function createScreen(out: WriteStream) {
  const colourful = out.isTTY && process.env.NO_COLOR === undefined;
  const paint = (style: Style, text: string) => (colourful ? styleText(style, text) : text);
  const write = (text: string) => void out.write(`${text}\n`);
  let liveSince = Date.now();
  let progress = '';

  const line = (about: keyof typeof LINES, who: string, what: string) => {
    const [sign, style] = LINES[about];
    const time = `${((Date.now() - liveSince) / 1000).toFixed(1).padStart(5)} s`;
    write(
      `  ${paint('gray', time)}  ${paint(style, `${sign} ${about.padEnd(9)}`)} ${who.padEnd(22)} ${what}`,
    );
  };

  return {
    line,
    title: (name: string, what: string) => write(`\n${paint('bold', name)}  ${paint('gray', what)}`),
    heading: (text: string) => {
      liveSince = Date.now();
      write(`\n${paint('bold', text)}`);
    },
    status: ({ state }: WatchStatus) => line('status', 'the feed', `is ${state}`),
    progress: (members: number, pages: number) => {
      progress = `  ${paint('green', '█'.repeat(Math.ceil(members / 4)))} ${members} members on ${pages} pages`;
      if (colourful) out.write(`\r${progress}`);
    },
    endProgress: () => out.write(colourful ? '\n' : `${progress}\n`),
    summary: (count: Summary, requests: number) => {
      const rows: readonly (readonly [string, string])[] = [
        [
          'members',
          `${count.members} on ${count.pages} pages; ${count.joined} joined since, ${count.left} left`,
        ],
        ['updates', `${count.presences} of presence, ${count.profiles} of profiles, ${count.chats} messages`],
        ['players', `${count.connected} admitted, ${count.refused} refused, ${count.expired} expired`],
        ['requests', `${requests}`],
      ];
      write(`\n${paint('bold', 'Summary')}`);
      for (const [name, value] of rows) write(`  ${paint('gray', name.padEnd(10))} ${value}`);
      write('');
    },
  };
}
