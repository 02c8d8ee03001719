import * as t from 'io-ts';
import { IdentityEventList } from 'lobby-rx';
import { eventBatch } from './event-batch.js';
import { measure } from './measure.js';
import { plainEventList } from './plain-codecs.js';
import type { Report } from './report.js';

/** The cost of validating an answer, compared with parsing it. */
export function benchDecode(report: Report): void {
  const text = JSON.stringify(eventBatch(20));
  const value: unknown = JSON.parse(text);
  const plain = plainEventList(t);
  const times = measure({
    parse: () => JSON.parse(text) as unknown,
    ours: () => IdentityEventList.decode(value),
    plain: () => plain.decode(value),
  });
  report.heading(`Decoding a batch of 20 events, ${(text.length / 1024).toFixed(0)} KB`);
  report.row('JSON.parse', times.parse, 'µs');
  report.row('lobby-rx', times.ours, 'µs');
  report.row('the same codecs in plain io-ts (type, partial)', times.plain, 'µs');
  report.row('lobby-rx / JSON.parse', times.ours / times.parse, '×', 0.35);
  report.row('plain io-ts / JSON.parse', times.plain / times.parse, '×');
}
