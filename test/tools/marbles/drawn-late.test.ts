import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import type { LogEntry, WatchStatus } from 'lobby-rx';
import { CONNECTING } from '../../connecting.js';
import type { Item } from '../../../src/tools/marbles/item.js';
import { Timeline } from '../../../src/tools/marbles/timeline.js';

const url = 'http://127.0.0.1/identity/events/live';
/** Longer than any log here. */
const END = 1_000_000;

/** How a poll goes: how long it is open, how it ends, and how long its watch waits after it. */
interface Course {
  readonly watchId: number;
  readonly hasIndex: boolean;
  readonly lasts: number;
  readonly end: 'answer' | 'error' | 'failure' | 'abort' | 'open';
  readonly why: Extract<LogEntry, { kind: 'poll_end' }>['why'];
  readonly wait: number;
  /** Before the next poll, besides. */
  readonly pause: number;
}

const course: fc.Arbitrary<Course> = fc.record({
  watchId: fc.integer({ min: 1, max: 2 }),
  hasIndex: fc.boolean(),
  lasts: fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.constantFrom(1_999, 2_000, 2_001)),
  end: fc.constantFrom('answer', 'error', 'failure', 'abort', 'open'),
  why: fc.constantFrom(
    'news',
    'no_news',
    'cut',
    'failed',
    'retry_after',
    'woken',
    'ack_failed',
    'paused',
    'ended',
  ),
  wait: fc.constantFrom(0, 500, 3_000),
  pause: fc.integer({ min: 0, max: 4_000 }),
});

const statusAt = (watchId: number, at: number, state: WatchStatus['state']): LogEntry => ({
  kind: 'status',
  watchId,
  at,
  status: { ...CONNECTING, state },
});

/** What a client logs of these polls, in the order of time. */
function logOf(courses: readonly Course[]): readonly LogEntry[] {
  const clocks = new Map<number, number>();
  const entries: LogEntry[] = [];
  for (const [i, { watchId, hasIndex, lasts, end, why, wait, pause }] of courses.entries()) {
    const at = (clocks.get(watchId) ?? 0) + pause;
    const request = {
      requestId: i,
      pollOf: watchId,
      method: 'GET',
      url: hasIndex ? `${url}?watch_index=${i}` : url,
    };
    entries.push(statusAt(watchId, at, 'connecting'), { ...request, kind: 'request', at });
    const over = at + lasts;
    clocks.set(watchId, end === 'open' ? END : over);
    if (at >= END || end === 'open') continue;
    const ended = { ...request, at: over, ms: lasts };
    if (end === 'abort') entries.push({ ...ended, kind: 'abort' });
    else if (end === 'failure') entries.push({ ...ended, kind: 'failure', error: undefined });
    else entries.push({ ...ended, kind: 'answer', status: end === 'answer' ? 200 : 502 });
    entries.push(statusAt(watchId, over, end === 'answer' ? 'live' : 'retrying'));
    entries.push({ kind: 'poll_end', watchId, at: over, why, wait, attempt: 0, error: undefined });
  }
  return entries.filter(({ at }) => at < END).sort((a, b) => a.at - b.at);
}

/**
 * The picture at the end, if somebody looks each 50 ms between two times, and later only at the
 * end.
 */
function pictureOf(entries: readonly LogEntry[], seen: { readonly from: number; readonly to: number }) {
  let clock = 0;
  const timeline = new Timeline(() => clock);
  const items = new Set<Item>();
  const look = () => timeline.changes().forEach(item => items.add(item));
  for (const entry of entries) {
    for (; clock < entry.at; clock += 50) {
      if (clock >= seen.from && clock < seen.to) look();
    }
    timeline.log(entry);
  }
  clock = (entries.at(-1)?.at ?? 0) + 10_000;
  look();
  return [...items]
    .map(({ row, shape, from, to, tone, text }) => [row.order, from, to ?? '', shape, tone, text].join(' '))
    .sort();
}

describe('marbles that are drawn later', () => {
  const entries: readonly LogEntry[] = [
    statusAt(1, 0, 'connecting'),
    { kind: 'request', requestId: 1, pollOf: 1, method: 'GET', url: `${url}?watch_index=1`, at: 0 },
    { kind: 'answer', requestId: 1, pollOf: 1, method: 'GET', url, at: 1_000, ms: 1_000, status: 502 },
    statusAt(1, 1_000, 'retrying'),
    { kind: 'poll_end', watchId: 1, at: 1_000, why: 'failed', wait: 500, attempt: 1, error: undefined },
    { kind: 'request', requestId: 2, pollOf: 1, method: 'GET', url: `${url}?watch_index=1`, at: 1_500 },
    statusAt(1, 3_500, 'live'),
    { kind: 'answer', requestId: 2, pollOf: 1, method: 'GET', url, at: 41_500, ms: 40_000, status: 200 },
    { kind: 'poll_end', watchId: 1, at: 41_500, why: 'no_news', wait: 0, attempt: 0, error: undefined },
  ];

  it('say that a poll was held while it was, not when it ended', () => {
    const lines = pictureOf(entries, { from: 0, to: 0 }).filter(item => item.includes(' line '));
    deepStrictEqual(lines, [
      '0 0 1000 line connecting connecting',
      '0 1000 3500 line retrying retrying',
      '0 3500  line live live',
    ]);
  });

  it('are the picture that somebody saw who watched, wherever their log is cut', () => {
    fc.assert(
      fc.property(
        fc.array(course, { maxLength: 12 }),
        fc.integer({ min: 0, max: 40_000 }),
        fc.integer({ min: 0, max: 40_000 }),
        (courses, from, to) => {
          const log = logOf(courses);
          const watched = pictureOf(log, { from: 0, to: Infinity });
          deepStrictEqual(pictureOf(log, { from, to }), watched);
          deepStrictEqual(pictureOf(log, { from: 0, to: 0 }), watched);
        },
      ),
    );
  });

  it('keep what goes on, however much has ended since', () => {
    const timeline = new Timeline(() => 0);
    const request = { method: 'GET', url, requestId: 1, pollOf: 1 };
    timeline.log(statusAt(1, 0, 'connecting'));
    timeline.log({ ...request, kind: 'request', at: 0 });
    for (let i = 0; i < 6_000; i++) timeline.event({ kind: `e${i}` });
    deepStrictEqual(
      [...timeline.changes()].slice(0, 2).map(({ shape }) => shape),
      ['line', 'poll'],
    );
  });
});
