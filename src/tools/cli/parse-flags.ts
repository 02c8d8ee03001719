import { parseArgs } from 'node:util';
import { nearestName } from '../../error/index.js';

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
    const { values, positionals } = parseArgs({
      args: joinNumbers(args, flags),
      options,
      allowPositionals: true,
    });
    if (takesArguments || positionals.length === 0)
      return { values: values as ParsedFlags<Options>['values'], positionals };
  } catch (error) {
    // Node's own messages are several sentences long, or even several lines.
    const [sentence] = (error as Error).message.split(/\.\s/, 1);
    // If a flag and its value were quoted together, as in '--token SECRET', only the name is shown.
    const first = sentence!.replace(/^(Unknown option '-[^\s=']*)[\s=][^']*/, '$1');
    const [, unknown = ''] = /^Unknown option '--(.*)'/.exec(first) ?? [];
    const meant = nearestName(unknown, Object.keys(flags));
    const hint = meant ? ` (did you mean --${meant}?)` : '';
    throw new Error(
      `${first.replace(/^./, letter => letter.toLowerCase())}${hint}; see lobby-rx ${command} --help`,
    );
  }
  // The argument is not quoted, because it may be a token.
  throw new Error(`lobby-rx ${command} takes no arguments but its flags; see lobby-rx ${command} --help`);
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
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new Error(`${flag} must be a whole number ${range}; got ${shown(text)}`);
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
