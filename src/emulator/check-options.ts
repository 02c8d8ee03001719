import { describe, InputError, jsonObject, refuseStrangers } from '../protocol/index.js';

/** What a value must be: `name` is what an error message says was expected. */
export interface Guard {
  readonly name: string;
  readonly is: (value: unknown) => boolean;
}

/** A guard for each option of a config. */
export type Options<Config> = Readonly<Record<keyof Config, Guard>>;

/** For each kind of a tagged union, a guard for each field besides `kind`. */
export type OptionsByKind<Union extends { readonly kind: string }> = {
  readonly [Member in Union as Member['kind']]: Options<Omit<Member, 'kind'>>;
};

/**
 * Checks a config that a user wrote. Throws an `InputError` if an option has a value that its guard rejects, or if there
 * is no such option: a misspelt one would be ignored silently. Options that are `undefined` count as left out.
 */
export function checkOptions<Config extends object>(
  config: Config,
  options: Options<Config>,
  /** The name of the argument, if its function has other arguments with options. */
  argument?: string,
): void {
  if (!jsonObject.is(config)) throw new InputError(argument ?? 'config', 'an object', describe(config));
  const prefix = argument === undefined ? '' : `${argument}.`;
  refuseStrangers(config, Object.keys(options), prefix);
  for (const [name, guard] of Object.entries<Guard>(options)) {
    const value = config[name];
    if (value === undefined || guard.is(value)) continue;
    throw new InputError(prefix + name, guard.name, describe(value));
  }
}
