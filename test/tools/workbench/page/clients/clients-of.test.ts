import { deepStrictEqual } from 'node:assert';
import { clientsOf } from '../../../../../src/tools/workbench/page/clients/clients-of.js';
import type { SeenRequest } from '../../../../../src/tools/workbench/world-view.js';

const EVENTS = '/identity/events/live';
let id = 0;
const poll = (
  at: number,
  end: Partial<Pick<SeenRequest, 'ended_at' | 'status'>> = {},
  who = 'Ada',
): SeenRequest => ({
  ...{ id: id++, method: 'GET', path: `${EVENTS}?watch_index=${at}`, who, who_id: `id of ${who}` },
  ...{ is_poll: true, at, events: [], has_news: false },
  ...end,
});
const stateAt = (now: number, ...requests: readonly SeenRequest[]) => clientsOf(requests, now)[0]!.state;

describe('the clients of a workbench', () => {
  it('are polling while a poll is held', () => {
    deepStrictEqual(stateAt(100, poll(0)), 'polling');
    deepStrictEqual(stateAt(900, poll(0, { ended_at: 500, status: 200 }), poll(501)), 'polling');
  });

  it('are retrying from a failure until a poll is held again', () => {
    const failed = poll(0, { ended_at: 500, status: 502 });
    deepStrictEqual(stateAt(600, failed), 'retrying');
    deepStrictEqual(stateAt(30_000, failed), 'retrying');
    deepStrictEqual(stateAt(1_500, failed, poll(1_000)), 'retrying');
    deepStrictEqual(stateAt(3_000, failed, poll(1_000)), 'polling');
    deepStrictEqual(stateAt(600, poll(0, { ended_at: 500, status: 0 })), 'retrying');
  });

  it('are between two requests for a while, then gone', () => {
    for (const end of [{ ended_at: 500, status: 200 }, { ended_at: 500 }]) {
      deepStrictEqual(stateAt(1_000, poll(0, end)), 'between');
      deepStrictEqual(stateAt(6_000, poll(0, end)), 'gone');
    }
    deepStrictEqual(stateAt(40_000, poll(0, { ended_at: 500, status: 502 })), 'gone');
  });

  it('are told apart by whose tokens they have, with what they ask for, since when, and what came last', () => {
    const last = poll(20, { ended_at: 60, status: 200 }, 'Grace');
    const clients = clientsOf(
      [poll(0), last, { ...poll(30, {}, 'Grace'), path: '/v1/groups/a/members?count=3' }],
      100,
    );
    deepStrictEqual(
      clients.map(({ who, paths, since, last }) => ({ who, paths, since, last })),
      [
        { who: 'Ada', paths: [EVENTS], since: 0, last: undefined },
        { who: 'Grace', paths: [EVENTS, '/v1/groups/a/members'], since: 20, last },
      ],
    );
  });
});
