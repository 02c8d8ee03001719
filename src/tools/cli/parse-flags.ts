import { parseArgs } from 'node:util';
import { cursorArgument, nearestName } from '../../error/index.js';

/** A flag, as Node's `parseArgs` takes it. */
interface Flag {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly default?: string | boolean;
}

type Flags = Readonly<Record<string, Flag>>;

/** The value of a flag. `undefined` if it was not given and has no default. */
type ValueOf<F extends Flag> =
  | (F['type'] extends 'string' ? string : boolean)
  | (F extends { readonly default: string | boolean } ? never : undefined);

/** The arguments that a command takes. */
interface Grammar<Options extends Flags> {
  readonly flags: Options;
  /** Whether it also takes arguments that are not flags. Default false. */
  readonly takesArguments?: boolean;
}

/** The arguments with which a command was called. */
export interface ParsedFlags<Options extends Flags> {
  readonly values: { readonly [Name in keyof Options]: ValueOf<Options[Name]> };
  readonly positionals: readonly string[];
}

/**
 * The flags of a command, and its other arguments. Throws an error in one line if the command does
 * not take one of them.
 *
 * `CONNECTION_FLAGS` in `connection-flags.ts` has the flags that all commands share but `emulate`.
 * `run-group-command.ts` adds those of `members` and `watch`. `events.ts`, `connected.ts` and
 * `doctor.ts` add their own, and `emulate/emulate-options.ts` has all flags of `emulate`.
 */
export function parseFlags<const Options extends Flags>(
  command: string,
  args: readonly string[],
  { flags, takesArguments = false }: Grammar<Options>,
): ParsedFlags<Options> {
  try {
    const options: Flags = flags;
    const { values, positionals, tokens } = parseArgs({
      args: joinNumbers(args, flags),
      options,
      allowPositionals: true,
      tokens: true,
    });
    const named = tokens.flatMap(token => (token.kind === 'option' ? [token.name] : []));
    // Node takes the last value. Which one is meant, nobody knows, and one may be another service.
    const twice = named.find((name, i) => options[name]?.type === 'string' && named.indexOf(name) < i);
    if (twice) throw new Error(`Option '--${twice}' is given more than once`);
    if (takesArguments || positionals.length === 0)
      return { values: values as ParsedFlags<Options>['values'], positionals };
  } catch (error) {
    throw new Error(`${problemOf(error as Error, args, flags)}; see lobby-rx ${command} --help`);
  }
  // The argument is not quoted, because it may be a token.
  throw new Error(`lobby-rx ${command} takes no arguments but its flags; see lobby-rx ${command} --help`);
}

/** What is wrong with arguments, in one sentence. Node's own messages are longer. */
function problemOf({ message }: Error, args: readonly string[], flags: Flags): string {
  const [sentence] = message.split(/\.\s/, 1);
  const first = sentence!
    // If a flag and its value were quoted together, as in '--token SECRET', only the name is shown.
    .replace(/^(Unknown option '-[^\s=']*)[\s=][^']*/, '$1')
    // The next argument begins with a dash. Most often it is a flag, and the value was left out.
    .replace(
      /^Option '(.*)' argument is ambiguous$/,
      "Option '$1 <value>' argument missing (if it begins with a dash, write $1=<value>)",
    )
    .replace(/^./, letter => letter.toLowerCase());
  const [, dash, unknown = ''] = /^unknown option '(--?)(.*)'$/.exec(first) ?? [];
  const meantBy = (name: string) => nearestName(name, Object.keys(flags));
  // Node reads -json as -j -s -o -n.
  const names = dash === '-' ? args.flatMap(arg => /^-(\w[^\s=]+)/.exec(arg)?.[1] ?? []) : [unknown];
  const name = names.find(meantBy);
  return name === undefined ? first : `unknown option '${dash}${name}' (did you mean --${meantBy(name)}?)`;
}

/**
 * Writes `--count -1` as `--count=-1`. Node rejects the first form with a long message. For the
 * second form, our own message is better.
 */
function joinNumbers(args: readonly string[], flags: Flags): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const before = joined.at(-1) ?? '';
    const isValue = /^-\d/.test(arg) && flags[before.replace(/^--/, '')]?.type === 'string';
    if (isValue) joined[joined.length - 1] = `${before}=${arg}`;
    else joined.push(arg);
  }
  return joined;
}

/**
 * The number in the text of a flag. Throws an error that names the flag if the text is not a whole
 * number in this range.
 */
export function wholeNumber(flag: string, text: string, min: number, max = Number.MAX_SAFE_INTEGER): number {
  if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new Error(`${flag} must be a whole number from ${min} to ${max}; got ${shown(text)}`);
}

/** The id of a group. Throws an error that names the argument if the text cannot be one. */
export function groupIn(argument: string, text: string): string {
  if (cursorArgument.is(text) && !/\s|^\.\.?$/.test(text)) return text;
  throw new Error(`${argument} must be the id of a group, without spaces; got ${shown(text)}`);
}

/** The time in ms that a flag gives in seconds. `undefined` if it was not given. */
export function secondsIn(flag: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : wholeNumber(flag, text, 1, MAX_SECONDS) * 1_000;
}

/** A week. Timers count ms in 31 bits. */
const MAX_SECONDS = 604_800;

/** The value of a flag in a message. Only a number is shown, because a text may be a token. */
export function shown(text: string): string {
  if (text === '') return 'nothing';
  return /^[-+.\d]{1,20}$/.test(text) ? `'${text}'` : 'another text';
}
