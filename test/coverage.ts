// npm run coverage: the lines of src/ that no test executes, from what V8 has counted in every
// process of the tests, bundled programs included. Fails on a place that is not in uncovered.json,
// with its reason, and on one that is there for nothing. ACCEPT=1 writes the places there.
//
// c8 alone would not do: it takes comments and types for covered lines, and a whole bundle, too.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Profiler } from 'node:inspector';
import { transformSync } from 'esbuild';
import ts from 'typescript';
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
  let source = 0;
  let line = 1;
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

/**
 * What only a NATS server, a browser or another service can test: `npm run test:fleet`,
 * `test:browser`, `test:services` and `test:couch`.
 */
const ELSEWHERE =
  /^src\/(integrations\/services\/|integrations\/fleet\/(nats\/|(drain-worker|fleet-status|run-fleet|set-replicas)\.ts|read\/(batch-reader|consumer-lags|durable-position|fleet-batches|fleet-feed)\.ts)|tools\/(cli\/fleet\/fleet\.ts|marbles\/(axis|drawing|frames|legend-view|lobby-marbles|mark|marbles-view|svg-element)\.ts|workbench\/page\/))/;

/** What `ACCEPT=1` writes for a new place: somebody has to say why. */
const UNEXPLAINED = 'why?';

/** Reasons by file and place. */
type Reasons = Readonly<Record<string, Readonly<Record<string, string>>>>;

const LIST = join(import.meta.dirname, 'uncovered.json');
const reasons = JSON.parse(readFileSync(LIST, 'utf8')) as Reasons;
/** The places that no test executes, with one of their lines. */
const found: Record<string, Record<string, string>> = {};
const faults: string[] = [];
let all = 0;
let uncovered = 0;
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
    // Nothing runs in these lines themselves. V8 may count the space before a `try` as never run.
    if (/^([\])};,]*|try \{)$/.test(source)) continue;
    all++;
    if (times > 0) continue;
    uncovered++;
    found[file] ??= {};
    found[file][placeOf(text, line)] ??= `${line}: ${source}`;
  }
}

/** The names of what a line is in: its class and method, or its function. */
function placeOf(text: string, line: number): string {
  const source = ts.createSourceFile('', text, ts.ScriptTarget.Latest);
  const start = source.getPositionOfLineAndCharacter(line - 1, 0);
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (start < node.getFullStart() || start >= node.getEnd()) return;
    const name = (node as { readonly name?: ts.Node }).name;
    const isPlace = ts.isFunctionLike(node) || ts.isClassLike(node) || ts.isVariableDeclaration(node);
    if (isPlace && name) names.push(name.getText(source));
    node.forEachChild(visit);
  };
  visit(source);
  return names.join('.') || 'the file itself';
}

for (const [file, places] of Object.entries(found)) {
  for (const [place, line] of Object.entries(places)) {
    if ((reasons[file]?.[place] ?? UNEXPLAINED) === UNEXPLAINED)
      faults.push(`${file}: no test executes a line of ${place}, and nothing says why: ${line}`);
  }
}
for (const [file, places] of Object.entries(reasons)) {
  for (const place of Object.keys(places)) {
    if (!found[file]?.[place]) faults.push(`${file}: uncovered.json has ${place}, which is covered or gone`);
  }
}

if (process.env.ACCEPT) {
  const next = Object.entries(found).map(([file, places]) => {
    const known = Object.keys(places).map(place => [place, reasons[file]?.[place] ?? UNEXPLAINED] as const);
    return [file, Object.fromEntries(known)] as const;
  });
  writeFileSync(LIST, `${JSON.stringify(Object.fromEntries(next), null, 2)}\n`);
}
const share = (100 - (100 * uncovered) / all).toFixed(2);
console.log(`${all} lines of code, of which the tests execute ${share} %`);
for (const fault of faults) console.log(fault);
if (faults.length > 0) process.exitCode = 1;
