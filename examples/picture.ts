// Pictures of what happens over time, drawn from what was recorded, in light and dark, for desks
// and phones.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '../docs');

/** What happened at a time, in ms: something came or was lost, or an attempt failed. */
export interface Mark {
  readonly at: number;
  readonly kind: 'event' | 'lost' | 'failed';
}

/** A sentence below a lane, under what went wrong or at its end. */
interface Note {
  readonly text: string;
  readonly tone?: 'good' | 'bad';
  readonly isMiddle?: true;
}

/** One of those to whom it happened. */
export interface Lane {
  readonly name: string;
  readonly marks: readonly Mark[];
  /** When it ended, if that was before the end of the story. */
  readonly until?: number;
  readonly notes: readonly Note[];
}

export interface Picture {
  readonly name: string;
  /** The picture in words, for people who do not see it. */
  readonly summary: string;
  readonly lasts: number;
  readonly trouble: { readonly from: number; readonly to: number; readonly text: string };
  readonly lanes: readonly Lane[];
}

interface Format {
  readonly width: number;
  readonly fontSize: number;
  /** Where time begins and ends. */
  readonly left: number;
  readonly right: number;
  /** Of an event. */
  readonly radius: number;
  /** Where a lane has its name, from its line. */
  readonly nameAbove: number;
  /** The first line, the space below a line to its first note, and from one note to the next. */
  readonly top: number;
  readonly noteBelow: number;
  readonly noteHeight: number;
  /** Where a note is that is not in the middle. */
  readonly note: string;
}

const DESK: Format = {
  width: 760,
  fontSize: 20,
  left: 150,
  right: 745,
  radius: 11,
  nameAbove: -7,
  top: 70,
  noteBelow: 40,
  noteHeight: 30,
  note: 'x="745" text-anchor="end"',
};
const PHONE: Format = {
  width: 380,
  fontSize: 18,
  left: 8,
  right: 372,
  radius: 8,
  nameAbove: 24,
  top: 86,
  noteBelow: 34,
  noteHeight: 26,
  note: 'x="8"',
};

/** Writes a picture twice, as `name.svg` and `name-phone.svg`. */
export function drawPicture(picture: Picture): void {
  write(`${picture.name}.svg`, svgOf(picture, DESK));
  write(`${picture.name}-phone.svg`, svgOf(picture, PHONE));
}

function write(name: string, svg: string): void {
  const file = join(DOCS, name);
  writeFileSync(file, svg);
  console.log(`${file} is written.`);
}

function svgOf({ summary, lasts, trouble, lanes }: Picture, format: Format): string {
  const { width, left, right, top, noteBelow, noteHeight, nameAbove, fontSize } = format;
  const x = (ms: number) => Math.round(left + (ms / lasts) * (right - left - 10));
  const middle = (x(trouble.from) + x(trouble.to)) / 2;
  const between = Math.max(0, nameAbove) + 20;
  const drawn: string[] = [];
  let y = top;
  for (const { name, marks, until = lasts, notes } of lanes) {
    const end = until === lasts ? right : x(until);
    drawn.push(
      `<text class="name" x="8" y="${y - nameAbove}">${name}</text>`,
      `<path class="line" d="M${left} ${y}H${end}"/>${marksOf(marks, x, y, format.radius)}`,
    );
    y += noteBelow;
    for (const { text, tone = '', isMiddle } of notes) {
      const place = isMiddle ? `x="${middle}" text-anchor="middle"` : format.note;
      drawn.push(`<text class="${tone}" ${place} y="${y}">${text}</text>`);
      y += noteHeight;
    }
    y += between;
  }
  const height = y - between - noteHeight + 14;
  const area = `x="${x(trouble.from)}" width="${x(trouble.to) - x(trouble.from)}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${summary}">
${styleOf(fontSize)}
<rect class="away" ${area} y="36" height="${height - 50}" rx="6"/>
<text x="${middle}" y="24" text-anchor="middle">${trouble.text}</text>
${drawn.join('\n')}
</svg>
`;
}

/** What came at once is side by side. */
function marksOf(marks: readonly Mark[], x: (ms: number) => number, y: number, radius: number): string {
  const arm = radius / 2 + 1;
  return marks
    .map(({ at, kind }, i) => {
      if (kind === 'failed')
        return `<path class="failed" d="M${x(at) - arm} ${y - arm}l${2 * arm} ${2 * arm}m0-${2 * arm}l-${2 * arm} ${2 * arm}"/>`;
      const together = marks.slice(0, i).filter(other => other.kind === kind && other.at === at).length;
      return `<circle class="${kind}" cx="${x(at) + (2 * radius + 2) * together}" cy="${y}" r="${radius}"/>`;
    })
    .join('');
}

const styleOf = (fontSize: number) => `<style>
  text { font: ${fontSize}px system-ui, sans-serif; fill: #1f2328 }
  .name { font-weight: 600 }
  .away { fill: #8c959f33 }
  .line { stroke: #8c959f; stroke-width: 2 }
  .event { fill: #1a7f37 }
  .lost { fill: none; stroke: #cf222e; stroke-width: 3; stroke-dasharray: 5 4 }
  .failed { stroke: #cf222e; stroke-width: 3 }
  .bad { fill: #cf222e }
  .good { fill: #1a7f37 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .event, .good { fill: #3fb950 }
    .lost, .failed { stroke: #ff7b72 }
    .bad { fill: #ff7b72 }
  }
</style>`;
