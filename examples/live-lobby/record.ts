// npm run record: runs the demo, and writes what it printed as a picture whose lines appear when
// they were printed.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const FILE = join(import.meta.dirname, '../../docs/demo.svg');
const LINE_PX = 18;
const MARGIN_PX = 16;
/** The width of a letter, in pixels, and how many letters a line has at most. */
const LETTER_PX = 7.9;
const MAX_LETTERS = 92;
/** How many lines a screen has room for. */
const MAX_LINES = 24;

/** The colour of a line, by the sign of its kind. */
const COLOURS: Readonly<Record<string, string>> = {
  '█': '#7aa2f7',
  '●': '#7dcfff',
  '○': '#9aa5ce',
  '▶': '#e0af68',
  '✔': '#9ece6a',
  '✖': '#f7768e',
  '✉': '#bb9af7',
  '✎': '#c0caf5',
  '±': '#7dcfff',
};

interface PrintedLine {
  readonly text: string;
  /** In ms since the first line. */
  readonly at: number;
}

async function record(): Promise<readonly PrintedLine[]> {
  const main = join(import.meta.dirname, 'main.ts');
  const demo = spawn(process.execPath, ['--import', 'tsx', main, '--seconds', '5'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: PrintedLine[] = [];
  let start: number | undefined;
  for await (const text of createInterface(demo.stdout)) {
    start ??= performance.now();
    lines.push({ text: text.slice(0, MAX_LETTERS), at: Math.round(performance.now() - start) });
  }
  return lines;
}

function picture(lines: readonly PrintedLine[]): string {
  const width = Math.ceil(MAX_LETTERS * LETTER_PX + 2 * MARGIN_PX);
  const height = lines.length * LINE_PX + 2 * MARGIN_PX;
  const rows = lines.map(({ text, at }, i) => {
    const [sign = ''] = /[█●○▶✔✖✉✎±]/.exec(text) ?? [];
    const y = MARGIN_PX + (i + 0.75) * LINE_PX;
    const style = `animation-delay:${at}ms`;
    return `<text x="${MARGIN_PX}" y="${y}" fill="${COLOURS[sign] ?? '#c0caf5'}" style="${style}">${escape(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="What npm start prints">
<style>
  text { font: 13px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; white-space: pre; animation: appear 0.2s backwards }
  @keyframes appear { from { opacity: 0 } }
  @media (prefers-reduced-motion: reduce) { text { animation: none } }
</style>
<rect width="100%" height="100%" rx="8" fill="#1a1b26"/>
${rows.filter(row => !row.endsWith('></text>')).join('\n')}
</svg>
`;
}

const escape = (text: string) =>
  text.replace(/[&<>]/g, char => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[char]!);

writeFileSync(FILE, picture((await record()).slice(0, MAX_LINES)));
console.log(`${FILE} is written.`);
