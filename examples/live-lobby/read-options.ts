import { parseArgs } from 'node:util';

/** `--seconds N`: how long the show is. */
export function readOptions(args: string[]): { seconds: number } {
  try {
    const { values } = parseArgs({ args, options: { seconds: { type: 'string', default: '20' } } });
    const seconds = Number(values.seconds);
    if (!(seconds >= 5 && seconds <= 3600))
      throw new Error(`--seconds must be from 5 to 3600; got '${values.seconds}'`);
    return { seconds };
  } catch (error) {
    console.error(`npm start: ${(error as Error).message}`);
    process.exit(2);
  }
}
