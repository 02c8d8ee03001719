/** Says in one line what is wrong, and sets the exit code. */
export function fail(message: string, code: number): void {
  process.stderr.write(`lobby-rx: ${message}\n`);
  process.exitCode = code;
}
