/** The fields of a command, by name, as words or as JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** The result of a command: a sentence for people, and values for a program. */
export interface ControlResult {
  readonly message: string;
  readonly [name: string]: unknown;
}

/** A command as people see it. */
export interface CommandUsage {
  /** Its name. The names of some are two words. */
  readonly name: string;
  /** The command as it is typed, such as `message TEXT [WHO]`. */
  readonly usage: string;
  /** What it does, in a few words. */
  readonly summary: string;
}

/** A command for a running emulator. */
export interface Command {
  /** What it does, in a few words. */
  readonly summary: string;
  /** The fields that can be given without their names, in this order. */
  readonly takes: readonly string[];
  /** How many of the fields in `takes` must be given. */
  readonly needs: number;
  /** Further fields, which must be given with their names. */
  readonly options?: readonly string[];
  readonly run: (fields: Fields) => ControlResult;
}

/** Commands by name. The names of some are two words. */
export type Commands = Readonly<Record<string, Command>>;
