/**
 * The median time of each task in µs. The tasks take turns, so that other load on the machine affects all of them equally and
 * their ratios stay valid.
 */
export function measure<K extends string>(
  tasks: Readonly<Record<K, () => unknown>>,
  rounds = 400,
): Record<K, number> {
  const names = Object.keys(tasks) as K[];
  const times = Object.fromEntries(names.map(name => [name, [] as number[]])) as Record<K, number[]>;
  for (let round = -rounds / 4; round < rounds; round++) {
    for (const name of names) {
      const start = process.hrtime.bigint();
      for (let i = 0; i < 5; i++) tasks[name]();
      const micros = Number(process.hrtime.bigint() - start) / 5_000;
      if (round >= 0) times[name].push(micros);
    }
  }
  const median = (list: number[]) => list.sort((a, b) => a - b)[list.length >> 1] ?? NaN;
  return Object.fromEntries(names.map(name => [name, median(times[name])])) as Record<K, number>;
}
