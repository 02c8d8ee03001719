/** The options that are there: one that is `undefined` counts as left out, and must not hide the one that it goes before. */
export function given<Config extends object>(config: Config | undefined): Config {
  return Object.fromEntries(
    Object.entries(config ?? {}).filter(([, value]) => value !== undefined),
  ) as Config;
}
