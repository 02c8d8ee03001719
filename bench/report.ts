/** Prints the figures as a table, and sets the exit code if a bound is exceeded. */
export interface Report {
  heading(text: string): void;
  /** Adds one figure. `bound` is its maximum, which `--check` enforces. */
  row(name: string, value: number, unit: string, bound?: number): void;
  end(): void;
}

export function createReport(check: boolean): Report {
  const exceeded: string[] = [];
  let rows = 0;
  return {
    heading: text => console.log(`\n${text}`),
    row: (name, value, unit, bound) => {
      rows++;
      const isOver = bound !== undefined && !(value <= bound);
      if (isOver) exceeded.push(name);
      const limit = bound === undefined ? '' : `   at most ${bound}${isOver ? '   EXCEEDED' : ''}`;
      console.log(`  ${name.padEnd(52)} ${value.toFixed(2).padStart(10)} ${unit.padEnd(14)}${limit}`);
    },
    end: () => {
      console.log(`\n${rows} figures, ${exceeded.length} over their bound`);
      if (check && exceeded.length > 0) process.exitCode = 1;
    },
  };
}
