// npm run coverage: the lines of src/ that no test executes, from what V8 has counted in every
// process of the tests, bundled programs included. Fails on one that is not in uncovered.json, with
// its reason, and on one that is there for nothing.
//
// c8 alone would not do: it takes comments and types for covered lines, and a whole bundle, too.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Profiler } from 'node:inspector';
import { transformSync } from 'esbuild';
import { filesUnder } from './files-under.js';

/** What Node writes for each process. */
interface ProcessCoverage extends Profiler.TakePreciseCoverageReturnType {
  readonly 'source-map-cache'?: Readonly<Record<string, CachedMap>>;
}
interface CachedMap {
  readonly lineLengths: readonly number[];
  readonly data: { readonly sources: readonly string[]; readonly mappings: string } | null;
}

interface Segment {
  readonly row: number;
  readonly column: number;
  readonly file: string;
  readonly line: number;
}

const ROOT = join(import.meta.dirname, '..');
const COUNTED = join(ROOT, 'coverage/v8');
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Processes of the same program have the same map. */
const decoded = new Map<string, readonly Segment[]>();
/** How often each line has run: file, line, count. */
const counts = new Map<string, Map<number, number>>();
for (const name of readdirSync(COUNTED)) {
  const { result, ...rest } = JSON.parse(readFileSync(join(COUNTED, name), 'utf8')) as ProcessCoverage;
  for (const { url, functions } of result) {
    const map = rest['source-map-cache']?.[url];
    if (map?.data) count(map, functions);
  }
}

function count({ lineLengths, data }: CachedMap, functions: readonly Profiler.FunctionCoverage[]): void {
  const ranges = functions.flatMap(one => one.ranges);
  ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  // Those around the current offset, the innermost last.
  const around: Profiler.CoverageRange[] = [];
  let next = 0;
  const starts = lineStarts(lineLengths);
  for (const { row, column, file, line } of segmentsOf(data!)) {
    const offset = starts[row]! + column;
    while (next < ranges.length && ranges[next]!.startOffset <= offset) around.push(ranges[next++]!);
    while (around.length > 0 && around.at(-1)!.endOffset <= offset) around.pop();
    const lines = counts.get(file) ?? counts.set(file, new Map<number, number>()).get(file)!;
    lines.set(line, (lines.get(line) ?? 0) + (around.at(-1)?.count ?? 1));
  }
}

function lineStarts(lengths: readonly number[]): readonly number[] {
  let start = 0;
  return lengths.map(length => {
    const lineStart = start;
    start += length + 1;
    return lineStart;
  });
}

/** Where in the generated code there is a part of which line of src. */
function segmentsOf({ sources, mappings }: NonNullable<CachedMap['data']>): readonly Segment[] {
  const known = decoded.get(mappings);
  if (known) return known;
  const files = sources.map(url => relative(ROOT, url.startsWith('file:') ? fileURLToPath(url) : url));
  const segments: Segment[] = [];
  let [source, line] = [0, 1];
  for (const [row, mapped] of mappings.split(';').entries()) {
    let column = 0;
    for (const segment of mapped === '' ? [] : mapped.split(',')) {
      const [columns = 0, ...rest] = numbersIn(segment);
      column += columns;
      source += rest[0] ?? 0;
      line += rest[1] ?? 0;
      const file = files[source]!;
      if (rest.length > 0 && file.startsWith('src/')) segments.push({ row, column, file, line });
    }
  }
  decoded.set(mappings, segments);
  return segments;
}

/**
 * Numbers in the format of source maps: Base64 digits of 5 bits and one that says whether more
 * follow, the sign last.
 */
function numbersIn(segment: string): readonly number[] {
  return (segment.match(/[g-z\d+/]*[A-Za-f]/g) ?? []).map(digits => {
    const bits = Array.from(digits).reduceRight((sum, digit) => sum * 32 + (BASE64.indexOf(digit) % 32), 0);
    return bits % 2 === 1 ? -(bits - 1) / 2 : bits / 2;
  });
}

/** What only a NATS server or a browser can test: `npm run test:fleet`, `npm run test:browser`. */
const ELSEWHERE =
  /^src\/(integrations\/fleet\/(nats\/|run-fleet\.ts|read\/(batch-reader|durable-position|fleet-batches|fleet-feed)\.ts)|tools\/(marbles\/(drawing|legend-view|lobby-marbles)\.ts|workbench\/page\/))/;

const reasons = JSON.parse(readFileSync(join(import.meta.dirname, 'uncovered.json'), 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, string>>>
>;
const listed = new Set(
  Object.entries(reasons).flatMap(([file, of]) => Object.keys(of).map(key => `${file}: ${key}`)),
);
const faults: string[] = [];
let [all, uncovered] = [0, 0];
for (const path of filesUnder(join(ROOT, 'src'), '.ts')) {
  const file = relative(ROOT, path);
  if (ELSEWHERE.test(file)) continue;
  const text = readFileSync(path, 'utf8');
  const lines = counts.get(file);
  // A file that has only types or re-exports has no code.
  const code = transformSync(text, { loader: 'ts' }).code.replace(/^export \{[^}]*\} from "[^"]*";\n/gm, '');
  if (!lines && code !== '') faults.push(`${file}: no test loads it`);
  for (const [line, times] of lines ?? []) {
    const source = text.split('\n')[line - 1]!.trim();
    if (/^[\])};,]*$/.test(source)) continue;
    all++;
    if (times > 0) continue;
    uncovered++;
    const isListed = listed.delete(`${file}: ${source}`);
    if (!isListed) faults.push(`${file}:${line}: no test executes ${source}`);
  }
}
faults.push(
  ...[...listed].map(one => `${one}: is in test/uncovered.json, but there is no such uncovered line`),
);
console.log(
  `${all} lines of code, of which the tests execute ${(100 - (100 * uncovered) / all).toFixed(2)} %`,
);
for (const fault of faults) console.log(fault);
if (faults.length > 0) process.exitCode = 1;
