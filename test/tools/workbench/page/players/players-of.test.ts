import { deepStrictEqual } from 'node:assert';
import { clientsOf } from '../../../../../src/tools/workbench/page/outcome/index.js';
import { playersOf, type Player } from '../../../../../src/tools/workbench/page/players/players-of.js';
import type { SeenRequest } from '../../../../../src/tools/workbench/world-view.js';
import { refused } from '../outcome/seen.js';

const EVENTS = '/identity/events/live';
let id = 0;
const poll = (at: number, end: Partial<SeenRequest> = {}, who = 'Ada'): SeenRequest => ({
  id: id++,
  method: 'GET',
  path: `${EVENTS}?watch_index=${at}`,
  who,
  who_id: `id of ${who}`,
  is_poll: true,
  at,
  events: [],
  has_news: false,
  ...end,
});
type Verdict = Player['clients'][number];
const identities = [{ identity_id: 'id of Ada', display_name: 'Ada', has_token: false }];
const players = (now: number, ...requests: readonly SeenRequest[]) =>
  playersOf(clientsOf(requests), { now, identities });
const verdictAt = (now: number, ...requests: readonly SeenRequest[]) => {
  const [{ tone, words, wantsToken }] = players(now, ...requests)[0]!.clients as [Verdict];
  return [tone, words, ...(wantsToken ? ['token'] : [])];
};

describe('the players of a workbench', () => {
  it('are live while a poll is held', () => {
    deepStrictEqual(verdictAt(12_000, poll(0)), ['ok', 'live, waits 12 s']);
    const answered = poll(0, { ended_at: 500, status: 200 });
    deepStrictEqual(verdictAt(900, answered, poll(501)), ['ok', 'live, waits 0 s']);
    deepStrictEqual(verdictAt(1_000, answered), ['ok', 'live, between two polls']);
  });

  it('try again from a failure until a poll is held again', () => {
    const failed = poll(0, { ended_at: 500, status: 502, fault: 'html' });
    deepStrictEqual(verdictAt(3_500, failed), ['warn', 'waits to try again: a proxy answered 502 3 s ago']);
    deepStrictEqual(verdictAt(1_500, failed, poll(1_000)), [
      'warn',
      'tries again: a proxy answered 502 1 s ago',
    ]);
    // A poll that is held for as long as the one that failed, and 2 s longer.
    deepStrictEqual(verdictAt(3_499, failed, poll(1_000))[0], 'warn');
    deepStrictEqual(verdictAt(3_500, failed, poll(1_000)), ['ok', 'live, waits 3 s']);
    deepStrictEqual(verdictAt(600, poll(0, { ended_at: 500, status: 0 })), [
      'warn',
      'waits to try again: the connection was lost just now',
    ]);
    deepStrictEqual(
      verdictAt(90_000, poll(0, { ended_at: 500, status: 429, retry_after: 120_000 }))[0],
      'warn',
    );
    deepStrictEqual(verdictAt(90_500, failed), [
      'gone',
      'gone: a proxy answered 502 90 s ago, no request since',
    ]);
  });

  it('have a token that was refused, until they come with another one', () => {
    const rejected = poll(0, refused(0, 401));
    deepStrictEqual(verdictAt(1_000, rejected), ['bad', 'stopped: its token was refused 1 s ago', 'token']);
    deepStrictEqual(verdictAt(4_000, rejected, poll(1_000))[0], 'ok');
    // There is a new one: another would not help. Nobody can make one for somebody unknown.
    const renewed = identities.map(identity => ({ ...identity, has_token: true }));
    for (const known of [renewed, []]) {
      const [ada] = playersOf(clientsOf([rejected]), { now: 1_000, identities: known });
      deepStrictEqual([ada!.tone, ada!.wantsToken], ['bad', false]);
    }
  });

  it('have stopped with a token that may not do that, for which a new one is no remedy', () => {
    const forbidden = poll(0, refused(0, 403));
    deepStrictEqual(verdictAt(60_000, forbidden), ['bad', 'stopped: its token may not do that 60 s ago']);
  });

  it('are gone when they have given up a poll, or send none for long', () => {
    deepStrictEqual(verdictAt(1_000, poll(0, { ended_at: 500 })), ['gone', 'gone, 1 s ago']);
    deepStrictEqual(verdictAt(6_500, poll(0, { ended_at: 500, status: 200 })), ['gone', 'gone, 6 s ago']);
  });

  it('have several clients if several of their polls are open: one of them may be gone', () => {
    const [both] = players(10_000, poll(0), poll(5));
    deepStrictEqual([both!.clients.length, both!.tone], [2, 'ok']);
    const [one] = players(10_000, poll(0), poll(5, { ended_at: 4_000 }));
    deepStrictEqual(
      [one!.tone, ...one!.clients.map(({ words }) => words)],
      ['gone', 'live, waits 10 s', 'gone, 6 s ago'],
    );
  });

  it('are not gone because they watch something no more', () => {
    const members = { ...poll(0, { ended_at: 10 }), path: '/v1/groups/a/members?watch_index=3' };
    deepStrictEqual(
      players(10_000, members, poll(20)).map(({ tone }) => tone),
      ['ok'],
    );
  });

  it('are told apart by whose tokens they have, and are as well as the worst that they watch', () => {
    const members = { ...poll(30, {}, 'Grace'), path: '/v1/groups/a/members?count=3' };
    const rejected = poll(20, refused(60, 401), 'Grace');
    deepStrictEqual(
      players(10_000, poll(0), rejected, members).map(({ who, tone, topics }) => [who, tone, topics]),
      [
        ['Grace', 'bad', ['live events', '/v1/groups/a/members']],
        ['Ada', 'ok', ['live events']],
      ],
    );
  });
});
