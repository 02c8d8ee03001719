/** Where the figures go: a table, and an exit code where a bound is passed. */
export interface Report {
  heading(text: string): void;
  /** One figure. `bound` is the most that it may be; `--check` holds it to that. */
  row(name: string, value: number, unit: string, bound?: number): void;
  end(): void;
}

export function createReport(check: boolean): Report {
  const passed: string[] = [];
  let rows = 0;
  return {
    heading: text => console.log(`\n${text}`),
    row: (name, value, unit, bound) => {
      rows++;
      const isOver = bound !== undefined && !(value <= bound);
      if (isOver) passed.push(name);
      const limit = bound === undefined ? '' : `   at most ${bound}${isOver ? '   PASSED' : ''}`;
      console.log(`  ${name.padEnd(52)} ${value.toFixed(2).padStart(10)} ${unit.padEnd(14)}${limit}`);
    },
    end: () => {
      console.log(`\n${rows} figures, ${passed.length} over their bound`);
      if (check && passed.length > 0) process.exitCode = 1;
    },
  };
}
