import { checkArgument, plainObject, type Check, type Guard } from './guard.js';
import { InputError } from './input-error.js';

/** A {@link Check} for each option of a config. */
export type Options<Config> = Readonly<Record<keyof Config, Check>>;

/**
 * Throws an `InputError` if options have an unknown key. Otherwise a misspelt key would be ignored
 * silently. `name` is the path to the object in error messages, for example `watch`. The object may
 * be absent. `what` is the word for its keys.
 */
export function rejectUnknownKeys(
  given: unknown,
  known: readonly string[],
  name = '',
  what = 'option',
): void {
  if (given === undefined) return;
  const entries = Object.entries(checkArgument(name || 'config', plainObject, given));
  const [unknown] = entries.find(([key, value]) => value !== undefined && !known.includes(key)) ?? [];
  if (unknown === undefined) return;
  const path = name ? `${name}.${unknown}` : unknown;
  const meant = nearestName(unknown, known);
  const message = `unknown ${what} \`${path}\`${meant ? `; did you mean \`${meant}\`?` : '.'}`;
  const choice = known.length > 0 ? known.join(', ') : 'none';
  const names = `${what.charAt(0).toUpperCase()}${what.slice(1)}s: ${choice}`;
  throw new InputError(path, `one of: ${choice}`, `an unknown ${what}`, `${message} ${names}`);
}

/**
 * Throws an `InputError` if a config has an unknown option or an invalid value, or lacks a required
 * option. Options that are `undefined` count as omitted. If the config is itself an option, `name`
 * is its path, for example `watch`.
 */
export function checkOptions<Config extends object>(
  config: Config | undefined,
  options: Options<Config>,
  name = '',
  required: readonly (keyof Config)[] = [],
): void {
  if (required.length > 0) checkArgument(name || 'config', plainObject, config);
  rejectUnknownKeys(config, Object.keys(options), name);
  for (const [key, check] of Object.entries<Check>(options)) {
    const value = (config as Readonly<Record<string, unknown>> | undefined)?.[key];
    if (value !== undefined || required.includes(key as keyof Config))
      checkArgument(name ? `${name}.${key}` : key, check as Guard<unknown>, value);
  }
}

/**
 * The options that have a value, to be spread over defaults. An option that is `undefined` must not
 * replace a default.
 */
export function definedOptions<Config extends object>(config: Config | undefined): Config {
  const options: Record<string, unknown> = {};
  // Inherited options count, too. A config may be made by `Object.create(defaults)`.
  for (const key in config) {
    if (config[key] !== undefined) options[key] = config[key];
  }
  return options as Config;
}

/**
 * The known name that a misspelt name is near. `undefined` if no name is: `timeuot` is near
 * `timeout`, and `fetch` is not near `watch`.
 */
export function nearestName(misspelt: string, known: readonly string[]): string | undefined {
  const near = (edits: number) =>
    known.find(name => isWithin(misspelt.toLowerCase(), name.toLowerCase(), edits));
  return (
    near(0) ?? (misspelt.length > 2 ? near(1) : undefined) ?? (misspelt.length > 7 ? near(2) : undefined)
  );
}

/**
 * Whether one text becomes the other by at most `edits` edits. An edit inserts, removes or replaces
 * a letter, or swaps it with its neighbour.
 */
function isWithin(a: string, b: string, edits: number): boolean {
  if (!a || !b || edits < 0) return a.length + b.length <= edits;
  const [x, y] = [a.slice(1), b.slice(1)];
  if (a.startsWith(b.charAt(0))) return isWithin(x, y, edits);
  const isSwapped = `${a.charAt(1)}${a.charAt(0)}` === b.slice(0, 2);
  if (isSwapped && isWithin(a.slice(2), b.slice(2), edits - 1)) return true;
  return isWithin(x, b, edits - 1) || isWithin(a, y, edits - 1) || isWithin(x, y, edits - 1);
}
