import { describe, InputError } from '../protocol/index.js';
import { encodeText } from './encode-text.js';

/** A path with its parameters filled in, each encoded as one segment, and the names of those parameters. */
export function fillPath(
  path: string,
  input: Readonly<Record<string, unknown>>,
): { path: string; taken: readonly string[] } {
  const taken: string[] = [];
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    taken.push(name);
    return segment(name, input[name]);
  });
  return { path: filled, taken };
}

function segment(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') {
    throw new InputError(name, 'a non-empty string', describe(value));
  }
  // URLs resolve these two away, encoded or not, and the request would go to another endpoint.
  if (value === '.' || value === '..') {
    throw new InputError(name, "an identifier, and neither '.' nor '..'", `'${value}'`);
  }
  return encodeText(name, value);
}
