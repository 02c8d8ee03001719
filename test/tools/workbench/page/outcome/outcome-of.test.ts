import { deepStrictEqual } from 'node:assert';
import { indexOf, outcomeOf } from '../../../../../src/tools/workbench/page/outcome/outcome-of.js';
import type { SeenRequest } from '../../../../../src/tools/workbench/world-view.js';
import { answered, event, poll } from './seen.js';

const of = (more: Partial<SeenRequest>) => {
  const { kind, isTrouble, reason } = outcomeOf(poll(0, '1', more));
  return [kind, ...(isTrouble ? [reason] : [])];
};
const failed = (status: number, fault?: string) =>
  of({ ended_at: 5, status, ...(fault !== undefined && { fault }) });

describe('the outcome of a request', () => {
  it('is that it is open, or how it ended', () => {
    deepStrictEqual(
      [
        of({}),
        of(answered(5, '2')),
        of(answered(5, '2', event(4))),
        of({ ...answered(5, '2'), is_poll: false }),
        of({ ended_at: 5 }),
      ],
      [['open'], ['empty'], ['news'], ['answered'], ['left']],
    );
  });

  it('says whose doing trouble was', () => {
    deepStrictEqual(
      [
        failed(0),
        failed(401),
        failed(403),
        failed(404),
        failed(429),
        failed(502),
        failed(503),
        failed(503, 'html'),
      ],
      [
        ['lost', 'the connection was lost'],
        ['refused', 'its token was refused'],
        ['refused', 'its token may not do that'],
        ['failed', 'there is no such thing'],
        ['limited', 'the service limited its rate'],
        ['failed', 'a proxy answered 502'],
        ['failed', 'the service answered 503'],
        ['failed', 'a proxy answered 503'],
      ],
    );
  });

  it('says after how long without a request its client is gone', () => {
    const patience = (more: Partial<SeenRequest>) => outcomeOf(poll(0, '1', more)).patience;
    deepStrictEqual(
      [
        patience({}),
        patience({ ended_at: 5 }),
        patience(answered(5, '2')),
        patience({ ended_at: 5, status: 502 }),
        patience({ ended_at: 5, status: 429 }),
      ],
      [Infinity, 0, 5_000, 35_000, 900_000],
    );
  });

  it('begins with the index of its URL', () => {
    deepStrictEqual([indexOf(poll(0, '17')), indexOf(poll(0, undefined))], ['17', undefined]);
    deepStrictEqual(indexOf({ path: '/groups/a/members?count=3&watch_index=a%20b' }), 'a b');
  });
});
