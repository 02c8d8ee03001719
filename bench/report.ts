/** One figure. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** lobby-rx divided by this figure, if this is a figure of something else. */
  readonly ratio?: number;
  /** The maximum of the ratio, or of the value if there is no ratio. `--check` enforces it. */
  readonly bound?: number;
  /** What we want to reach, and have not reached yet. It is only told. */
  readonly goal?: number;
}

/** Words in rows. The first row has the names of the columns. */
export interface Table {
  readonly heading: string;
  readonly rows: readonly (readonly string[])[];
}

/** A bound, or one with a goal below it. */
export type Bound = number | readonly [bound: number, goal: number];

/** The parts of a figure that a bound means. */
export function bounded(bound: Bound | undefined): Pick<Figure, 'bound' | 'goal'> {
  if (bound === undefined) return {};
  return typeof bound === 'number' ? { bound } : { bound: bound[0], goal: bound[1] };
}

/** Where the parts put their figures. */
export interface Report {
  heading(text: string): void;
  table(heading: Table['heading'], rows: Table['rows']): void;
  add(figure: Figure): void;
  /** Adds a figure that nothing is compared with. */
  row(name: string, value: number, unit: string, bound?: Bound): void;
}

/** What one run of one part has shown. It prints the figures as tables. */
export interface PrintedReport extends Omit<Report, 'row'> {
  /** Adds a part that could not be measured, which counts as an exceeded bound. */
  fail(reason: string): void;
  readonly figures: readonly (Figure & { readonly heading: string })[];
  /** What is over its bound: by its name, what to say of it. */
  readonly exceeded: ReadonlyMap<string, string>;
}

export function createReport(): PrintedReport {
  const exceeded = new Map<string, string>();
  const figures: (Figure & { readonly heading: string })[] = [];
  let heading = '';
  const begin = (text: string) => {
    heading = text;
    console.log(`\n${text}`);
  };
  return {
    figures,
    exceeded,
    heading: begin,
    table: (text, rows) => {
      begin(text);
      const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)));
      for (const row of rows)
        console.log(`  ${row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')}`.trimEnd());
    },
    add: figure => {
      figures.push({ ...figure, heading });
      const { name, value, unit, ratio, bound, goal } = figure;
      const isMissed = goal !== undefined && !((ratio ?? value) <= goal);
      const isOver = bound !== undefined && !((ratio ?? value) <= bound);
      if (isOver) exceeded.set(`${heading}: ${name}`, `${number(ratio ?? value)}, at most ${bound}`);
      const cells = [
        name.padEnd(62),
        number(value).padStart(10),
        unit.padEnd(8),
        (ratio === undefined ? '' : `${ratio.toFixed(2)} ×`).padStart(8),
        bound === undefined ? '' : `at most ${bound}${isOver ? '  EXCEEDED' : ''}`,
        isMissed ? `(goal: ${goal})` : '',
      ];
      console.log(`  ${cells.join(' ').trimEnd()}`);
    },
    fail: reason => {
      exceeded.set('not measured', reason);
      console.log(`  FAILED: ${reason}`);
    },
  };
}

function number(value: number): string {
  return value.toFixed(Math.abs(value) >= 1_000 ? 0 : 2);
}
