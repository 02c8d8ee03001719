/** The group that a command was given; throws an error that says what to change. */
export function groupIn(positionals: readonly string[]): string {
  const [group, ...more] = positionals;
  if (!group) throw new Error('which group? Give its id');
  if (more.length > 0) throw new Error(`one group at a time; got ${positionals.length}`);
  return group;
}
