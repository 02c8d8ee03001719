import { createInterface } from 'node:readline';
import { Observable } from 'rxjs';
import { isInputError, printable } from '../../../error/index.js';
import type { Control, ControlResult } from '../../emulator/index.js';
import { jsonLine, warn } from '../terminal/index.js';

/**
 * Carries out each line of standard input as a command of an emulator. Prints the result for
 * people, or as a line of JSON. Emits nothing, and completes when the input ends. Unsubscribing
 * ends reading.
 */
export function typeCommands(control: Control, isJson: boolean): Observable<never> {
  return new Observable(subscriber => {
    const lines = createInterface({ input: process.stdin });
    lines.on('line', line => {
      if (line.trim() !== '') carryOut(control, line, isJson ? jsonLine : textOf);
    });
    lines.once('close', () => subscriber.complete());
    return () => {
      lines.close();
      // An open standard input would keep the process running.
      process.stdin.destroy();
    };
  });
}

function carryOut(control: Control, line: string, show: (result: ControlResult) => string): void {
  try {
    process.stdout.write(`${show(control.type(line))}\n`);
  } catch (error) {
    if (!isInputError(error)) throw error;
    warn(`${error.message}; type help for all commands`);
  }
}

/** The message of a result, and a line for each of its values. */
function textOf({ message, ...values }: ControlResult): string {
  const rows = Object.entries(values).map(
    ([name, value]) => `  ${name.padEnd(14)} ${typeof value === 'string' ? value : jsonLine(value)}`,
  );
  return [...message.split('\n'), ...rows].map(printable).join('\n');
}
