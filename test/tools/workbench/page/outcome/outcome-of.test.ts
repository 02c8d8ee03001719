import { deepStrictEqual } from 'node:assert';
import { indexOf, outcomeOf } from '../../../../../src/tools/workbench/page/outcome/outcome-of.js';
import type { SeenRequest } from '../../../../../src/tools/workbench/world-view.js';
import { answered, event, poll, refused } from './seen.js';

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
        of(refused(5, 401)),
        of(refused(5, 403)),
        failed(401),
        of(refused(5, 404)),
        failed(429),
        failed(502),
        of(refused(5, 503)),
        failed(503, 'html'),
        failed(500, 'empty'),
        of({ ...answered(5, '2'), is_unreadable: true }),
      ],
      [
        ['lost', 'the connection was lost'],
        ['refused', 'its token was refused'],
        ['refused', 'its token may not do that'],
        ['failed', 'a proxy answered 401'],
        ['failed', 'there is no such thing'],
        ['limited', 'the service limited its rate'],
        ['failed', 'a proxy answered 502'],
        ['failed', 'the service answered 503'],
        ['failed', 'a proxy answered 503'],
        ['failed', 'a crashed service answered 500'],
        ['failed', 'its answer could not be decoded'],
      ],
    );
  });

  it('begins with the index of its URL', () => {
    deepStrictEqual([indexOf(poll(0, '17')), indexOf(poll(0, undefined))], ['17', undefined]);
    deepStrictEqual(indexOf({ path: '/groups/a/members?count=3&watch_index=a%20b' }), 'a b');
  });
});
