import { redactBody } from '../src/error/index.js';
import { interleaved } from './measure.js';
import { bounded, type Report } from './report.js';

const TOKEN = `eyJhbGciOiJIUzI1NiJ9.${'x'.repeat(300)}`;
const LENGTH = 1_000_000;

/** What a body may be full of: letters, escapes of each kind, and pages. */
const UNITS = [
  'a',
  'A1',
  'x',
  '%41',
  '%c3',
  '\\',
  '\\u0041',
  '"',
  '&amp;',
  '&#65;',
  'é',
  'İ',
  '<p>no</p>\n',
  '{"a":',
];

/**
 * What it takes to hide a token in an error page of a megabyte: no text may keep a process from its
 * sockets.
 */
export async function benchRedact(report: Report): Promise<void> {
  report.heading(
    'Looking for a token in an error body of 1 MB; × is beside JSON.parse of the same text as a string',
  );
  for (const unit of UNITS) {
    const text = unit.repeat(LENGTH / unit.length);
    const json = JSON.stringify(text);
    const time = (work: () => unknown) => () => {
      const start = performance.now();
      work();
      return (performance.now() - start) * 1_000;
    };
    const rounds = await interleaved(
      { redact: time(() => redactBody(text, [TOKEN])), parse: time(() => JSON.parse(json)) },
      { rounds: 15, warmUp: 5 },
    );
    const ratio = rounds.ratio('redact', 'parse');
    report.add({
      name: JSON.stringify(unit),
      value: rounds.median('redact'),
      unit: 'µs',
      ratio,
      ...bounded(unit === 'İ' ? 150 : [8, 3]),
    });
  }
}
