import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** The topics of lines, each with its sign and colour. */
const TOPICS = {
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

/**
 * Writes the lines and the summary of the demo, in colour on a terminal, otherwise as plain text.
 */
export function createScreen(out: WriteStream) {
  const isRich = out.isTTY && process.env.NO_COLOR === undefined;
  const paint = (style: Style, text: string) => (isRich ? styleText(style, text) : text);
  const write = (text: string) => void out.write(`${text}\n`);
  const counts = {
    members: 0,
    pages: 0,
    joined: 0,
    left: 0,
    presences: 0,
    profiles: 0,
    messages: 0,
    connected: 0,
    refused: 0,
    expired: 0,
  };
  let headingAt = Date.now();
  let progress = '';

  return {
    /** The totals for the summary. The code that writes lines updates them. */
    counts,
    title: (name: string, what: string) => write(`\n${paint('bold', name)}  ${paint('gray', what)}`),
    heading: (text: string) => {
      headingAt = Date.now();
      write(`\n${paint('bold', text)}`);
    },
    /** Writes one event, with the time since the last heading. */
    line: (topic: keyof typeof TOPICS, who: string, what: string) => {
      const [sign, style] = TOPICS[topic];
      const time = `${((Date.now() - headingAt) / 1000).toFixed(1).padStart(5)} s`;
      write(
        `  ${paint('gray', time)}  ${paint(style, `${sign} ${topic.padEnd(9)}`)} ${who.padEnd(22)} ${what}`,
      );
    },
    progress: (text: string, width: number) => {
      progress = `  ${paint('green', '█'.repeat(Math.ceil(width)))} ${text}`;
      if (isRich) out.write(`\r${progress}`);
    },
    endProgress: () => out.write(isRich ? '\n' : `${progress}\n`),
    summary: (requests: number) => {
      const { members, pages, joined, left, presences, profiles, messages } = counts;
      const rows = [
        ['members', `${members} on ${pages} pages; ${joined} joined since, ${left} left`],
        ['updates', `${presences} of presence, ${profiles} of profiles, ${messages} messages`],
        ['players', `${counts.connected} admitted, ${counts.refused} refused, ${counts.expired} expired`],
        ['requests', `${requests}`],
      ] as const;
      write(`\n${paint('bold', 'Summary')}`);
      for (const [name, value] of rows) write(`  ${paint('gray', name.padEnd(10))} ${value}`);
      write('');
    },
  };
}
