import { InputError, isInputError, rejectUnknownKeys } from '../../../error/index.js';
import type { SeededWorld } from '../demo/index.js';
import type { Emulator } from '../emulator.js';
import type { Command, Commands, CommandUsage, ControlResult, Fields } from './command.js';
import { createCommands } from './commands.js';

/**
 * The commands for a running emulator. People type them, and programs send them.
 */
export interface Control {
  /**
   * Carries out a command and returns its result. The result has a `message` for people, and values
   * such as `player_token`. Throws an `InputError` if the command is unknown, or if a field is
   * missing, unknown or invalid.
   *
   * @example
   * control.run('presence', { status: 'away' });
   */
  readonly run: (name: string, fields?: Fields) => ControlResult;
  /**
   * Carries out a command as it is typed: its name, then its fields, in quotation marks if they
   * contain spaces. `xN` is short for `times=N`, and `always` for `times=always`. Throws like
   * `run`.
   *
   * @example
   * control.type('fault html 502 x3');
   */
  readonly type: (line: string) => ControlResult;
  /** Every command, for programs that offer them to people. */
  readonly commands: readonly CommandUsage[];
  /** The same as a text, one line each. */
  readonly help: string;
}

/**
 * Creates the commands for an emulator with a seeded world. There are commands for players, lobby
 * joins, members that join and leave, messages, faults and tokens. `listen(emulator, { control })`
 * also offers them over HTTP, to tests in other processes and languages.
 *
 * @example
 * const control = createControl(emulator, seedWorld(emulator));
 * control.type('message "Are you coming?"');
 */
export function createControl(emulator: Emulator, world: SeededWorld): Control {
  const commands = createCommands(emulator, world);
  const usages = Object.entries(commands).map(([name, command]) => ({
    name,
    usage: usageOf(name, command),
    summary: command.summary,
  }));
  const help = helpOf(usages);
  const run: Control['run'] = (name, fields = {}) => {
    if (name === 'help') return { message: help };
    const command = commandOf(commands, name);
    rejectUnknownKeys(fields, fieldsOf(command), name);
    const missing = command.takes.slice(0, command.needs).find(field => fields[field] === undefined);
    if (missing !== undefined) throw new InputError(missing, `given: ${usageOf(name, command)}`, 'nothing');
    try {
      return command.run(fields);
    } catch (error) {
      if (!isInputError(error) || error.argument !== 'identity_id') throw error;
      throw new InputError('who', `an id, or the name of someone who has joined (${QUOTE})`, error.got);
    }
  };
  return {
    run,
    type: line => {
      const words = wordsOf(line);
      const name = nameIn(words, commands);
      if (name === 'help') return run(name);
      const rest = words.slice(name.split(' ').length);
      return run(name, fieldsIn(rest, name, commandOf(commands, name)));
    },
    commands: usages,
    help,
  };
}

/** A hint for the errors of typed commands, because people forget to quote. */
const QUOTE = 'quote what contains spaces';

/** A word of a command line. A word in quotation marks is always a value. */
interface Word {
  readonly text: string;
  readonly isQuoted: boolean;
}

const WORD = /"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g;

/** Splits a command line into words, as a shell does: `message "Are you there?"` has two. */
function wordsOf(line: string): readonly Word[] {
  return [...line.matchAll(WORD)].map(([, double, single, bare]) => ({
    text: bare ?? single ?? double!.replace(/\\(.)/g, '$1'),
    isQuoted: bare === undefined,
  }));
}

function commandOf(commands: Commands, name: string): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command;
  throw new InputError(
    'command',
    `one of ${[...Object.keys(commands), 'help'].join(', ')}`,
    'something else',
  );
}

/** The name of a command at the beginning of these words. Some names are two words. */
function nameIn([first, second]: readonly Word[], commands: Commands): string {
  const both = `${first?.text} ${second?.text}`;
  return Object.hasOwn(commands, both) ? both : (first?.text ?? '');
}

/** The fields in the words after a name: `html 502 x3 only=/members`. */
function fieldsIn(words: readonly Word[], name: string, command: Command): Fields {
  const fields: Record<string, string> = {};
  const unnamed = [...command.takes];
  for (const word of words) {
    const [field, value] = namedField(word) ?? [];
    if (field !== undefined && fieldsOf(command).includes(field)) {
      fields[field] = value!;
      if (unnamed.includes(field)) unnamed.splice(unnamed.indexOf(field), 1);
      continue;
    }
    const next = unnamed.shift();
    if (next === undefined)
      throw new InputError(name, `typed as ${usageOf(name, command)} (${QUOTE})`, 'more words');
    fields[next] = word.text;
  }
  return fields;
}

/** The field that a word names, and its value. */
function namedField({ text, isQuoted }: Word): readonly [string, string] | undefined {
  if (isQuoted) return undefined;
  if (text === 'always') return ['times', text];
  const times = /^x(\d+)$/.exec(text);
  if (times) return ['times', times[1]!];
  const pair = /^(\w+)=(.*)$/s.exec(text);
  return pair ? [pair[1]!, pair[2]!] : undefined;
}

const fieldsOf = ({ takes, options = [] }: Command): readonly string[] => [...takes, ...options];

/** The command as it is typed, with fields in capital letters and optional fields in brackets. */
function usageOf(name: string, { takes, needs, options = [] }: Command): string {
  const fields = takes.map((field, i) => (i < needs ? field.toUpperCase() : `[${field.toUpperCase()}]`));
  const usage = [name, ...fields].join(' ');
  return options.length > 0 ? `${usage} [OPTION=…]` : usage;
}

function helpOf(commands: readonly CommandUsage[]): string {
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  return commands.map(({ usage, summary }) => `${usage.padEnd(width)}  ${summary}`).join('\n');
}
