import { deepStrictEqual } from 'node:assert';
import { clientsOf } from '../../../../../src/tools/workbench/page/outcome/clients-of.js';
import type { SeenRequest } from '../../../../../src/tools/workbench/world-view.js';
import { answered, poll } from './seen.js';

/** The times of the requests of each client. */
const times = (...requests: readonly SeenRequest[]) =>
  clientsOf(requests).map(({ requests: own }) => own.map(({ at }) => at));

describe('the clients of a workbench', () => {
  it('are two if two polls of one identity are open at once', () => {
    deepStrictEqual(times(poll(0, '1', answered(50, '2')), poll(60, '2')), [[0, 60]]);
    deepStrictEqual(times(poll(0, '1'), poll(60, '1')), [[0], [60]]);
  });

  it('go on with the index that they got', () => {
    const first = poll(0, '1', answered(50, '2'));
    const second = poll(10, '1', answered(55, '3'));
    deepStrictEqual(times(first, second, poll(60, '3'), poll(61, '2')), [
      [0, 61],
      [10, 60],
    ]);
  });

  it('try again with the index that they had', () => {
    const first = poll(0, '1', { ended_at: 50, status: 502 });
    const second = poll(10, '7', { ended_at: 50, status: 502 });
    deepStrictEqual(times(first, second, poll(60, '7'), poll(61, '1')), [
      [0, 61],
      [10, 60],
    ]);
  });

  it('each go on after an outage, also with the same index', () => {
    const failed = (at: number) => poll(at, '1', { ended_at: at + 5, status: 502 });
    deepStrictEqual(
      times(
        poll(0, '1', { ended_at: 8, status: 502 }),
        failed(2),
        failed(20),
        failed(30),
        failed(40),
        failed(50),
      ),
      [
        [0, 30, 50],
        [2, 20, 40],
      ],
    );
  });

  it('do not go on as one that has left, as long as another one has not', () => {
    const left = poll(0, '1', { ended_at: 50 });
    const other = poll(10, '1', { ended_at: 60, status: 502 });
    deepStrictEqual(times(left, other, poll(1_060, '1')), [[0], [10, 1_060]]);
  });

  it('that have no index yet do not go on as one that has', () => {
    const known = poll(0, '1', { ended_at: 50, status: 502 });
    const first = poll(10, undefined, { ended_at: 60, status: 502 });
    deepStrictEqual(times(known, first, poll(100, undefined), poll(101, '1')), [
      [0, 101],
      [10, 100],
    ]);
  });

  it('take the place of one that has gone', () => {
    deepStrictEqual(times(poll(0, '1', { ended_at: 50 }), poll(900, undefined)), [[0, 900]]);
  });

  it('have a line for each thing that they ask about, and one for calls that overlap', () => {
    const members = (at: number) => ({
      ...poll(at, undefined),
      path: '/v1/groups/a/members',
      is_poll: false,
    });
    const lines = clientsOf([members(0), members(1), poll(2, '1'), { ...poll(3, '1'), who_id: 'b' }]);
    deepStrictEqual(
      lines.map(({ who_id, topic, nth, requests }) => [who_id, topic, nth, requests.length]),
      [
        ['a', '/v1/groups/a/members', 0, 2],
        ['a', 'live events', 0, 1],
        ['b', 'live events', 0, 1],
      ],
    );
  });
});
