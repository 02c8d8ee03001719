import { printableJson, tryOr } from '../../../error/index.js';

/**
 * A value that is too deep for `JSON.stringify` is cut below this level. No real payload is half as
 * deep.
 */
const MAX_OUTPUT_DEPTH = 100;
const CUT = '(nested too deeply to print)';

/**
 * A value as one line of JSON, without the line break. `JSON.stringify` throws if a value is nested
 * some thousand levels deep. One such event must not stop all that follow it, so a text replaces
 * its deepest parts.
 */
export function jsonLine(value: unknown): string {
  const text = tryOr(() => JSON.stringify(value), '') || JSON.stringify(cutBelow(value, MAX_OUTPUT_DEPTH));
  return printableJson(wellFormed(text));
}

/**
 * Replaces half emojis. A name that was cut inside an emoji has half of it. `JSON.stringify`
 * escapes the half, and jq fails at it.
 */
function wellFormed(json: string): string {
  return json.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|.)/g, (escape, half?: string) =>
    half ? '\ufffd' : escape,
  );
}

function cutBelow(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return CUT;
  if (Array.isArray(value)) return value.map(item => cutBelow(item, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutBelow(item, depth - 1)]));
}
