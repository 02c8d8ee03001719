import { parseArgs } from 'node:util';

/** What `lobby-rx emulate` was asked for. */
export interface EmulateOptions {
  readonly port: number;
  readonly seed: number;
  readonly json: boolean;
  readonly live: boolean;
  readonly every: number;
  readonly help: boolean;
}

/** Reads the arguments; throws an error that says what to change. */
export function emulateOptions(args: readonly string[]): EmulateOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      live: { type: 'boolean', default: false },
      every: { type: 'string', default: '1000' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  return {
    port: wholeNumber('--port', values.port, 0, 65_535),
    seed: wholeNumber('--seed', values.seed, 0, 2 ** 32 - 1),
    json: values.json,
    live: values.live,
    every: wholeNumber('--every', values.every, 1, 3_600_000),
    help: values.help,
  };
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  if (/^\d+$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new Error(`${name} must be a whole number from ${least} to ${most}; got '${text}'`);
}
