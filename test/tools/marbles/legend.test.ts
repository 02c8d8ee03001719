import { deepStrictEqual } from 'node:assert';
import { TransportError, type LogEntry } from 'lobby-rx';
import { CONNECTING } from '../../connecting.js';
import { LEGEND, legendOf } from '../../../src/tools/marbles/legend.js';
import { Timeline } from '../../../src/tools/marbles/timeline.js';

const url = 'https://service.example/identity/events/live';
const STATES = ['connecting', 'live', 'retrying', 'offline', 'acknowledging', 'idle', 'closed'] as const;
const TURNS = ['news', 'no_news', 'stale', 'cut', 'failed', 'retry_after', 'woken', 'ack_failed'] as const;

/**
 * Every mark that a log can make: polls with and without an index, that end in each way, or are
 * open.
 */
function everyMark() {
  const timeline = new Timeline(() => 0);
  const marks = new Set<string>();
  const look = () => {
    for (const item of timeline.changes()) marks.add(`${item.shape} ${item.tone}`);
  };
  const error = new TransportError('unreachable', 'nothing listens', { method: 'GET', url });
  const ends: readonly Partial<LogEntry>[] = [
    { kind: 'answer', status: 200 } as const,
    { kind: 'answer', status: 502 } as const,
    { kind: 'failure', error } as const,
    { kind: 'abort' } as const,
  ];
  const whys = [...TURNS, 'paused', 'resumed', 'ended'] as const;
  let watchId = 0;
  for (const state of STATES) {
    timeline.log({ kind: 'status', watchId, at: 0, status: { ...CONNECTING, state } });
    look();
  }
  for (const why of whys)
    for (const end of ends)
      for (const of of [url, `${url}?watch_index=1`]) {
        const request = { method: 'GET', url: of, requestId: ++watchId, pollOf: watchId };
        // No poll is open when a feed is returned to.
        if (why !== 'resumed') {
          timeline.log({ ...request, kind: 'request', at: 0 });
          look();
          timeline.log({ ...request, ...end, at: 1, ms: 1 } as LogEntry);
          look();
        }
        timeline.log({ kind: 'poll_end', watchId, at: 1, why, wait: 500, attempt: 1, error });
        look();
        timeline.log({ kind: 'poll_end', watchId, at: 2, why, wait: 0, attempt: 1, error: undefined });
        timeline.log({ kind: 'gap', watchId, at: 2, reason: 'silence', index: '1' });
        look();
      }
  return [...marks].sort();
}

describe('the legend of marbles', () => {
  it('has every mark there is, and no other', () => {
    const explained = LEGEND.flatMap(({ shape, tones }) => tones.map(tone => `${shape} ${tone}`));
    deepStrictEqual(explained.sort(), everyMark());
  });

  it('does not say that a poll had news while it is open', () => {
    deepStrictEqual(legendOf({ shape: 'poll', tone: 'open' })!.label, 'open');
    deepStrictEqual(legendOf({ shape: 'marble', tone: 'open' }), undefined);
  });
});
