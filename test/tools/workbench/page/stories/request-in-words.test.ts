import { deepStrictEqual } from 'node:assert';
import { topicOf } from '../../../../../src/tools/workbench/page/outcome/topic-of.js';
import { requestInWords } from '../../../../../src/tools/workbench/page/stories/request-in-words.js';
import type { SeenRequest } from '../../../../../src/tools/workbench/world-view.js';
import { refused } from '../outcome/seen.js';

const base = {
  id: 1,
  method: 'GET',
  path: '/',
  who: 'Ada',
  who_id: 'a',
  is_poll: true,
  at: 1_000,
  events: [],
  has_news: false,
};
const event = (kind: string) => ({ kind, at: 0, text: '' });
const said = (more: Partial<SeenRequest>) => requestInWords({ ...base, ...more });
describe('a request in words', () => {
  it('says what became of it', () => {
    const ended_at = 13_000;
    deepStrictEqual(
      [
        said({}),
        said({ is_poll: false }),
        said({ ended_at }),
        said({ ended_at, status: 0 }),
        said({ ended_at, status: 200 }),
        said({ ended_at, status: 200, has_news: true }),
        said({ ended_at, status: 200, has_news: true, events: [event('chat_message')] }),
        said({
          ended_at,
          status: 200,
          has_news: true,
          events: [event('chat_message'), event('identity_update')],
        }),
        said({ ended_at, status: 200, is_poll: false }),
      ],
      [
        'waiting',
        'not answered yet',
        'given up by the client after 12.0 s',
        'connection lost after 12.0 s',
        'nothing new after 12.0 s',
        'news after 12.0 s',
        '1 event after 12.0 s',
        '2 events after 12.0 s',
        'answered after 12.0 s',
      ],
    );
  });

  it('says why it failed: a fault, or what the status means', () => {
    const ended_at = 1_000;
    deepStrictEqual(
      [
        said({ ended_at, status: 502, fault: 'html' }),
        said({ fault: 'stall_before_headers' }),
        ...[401, 403, 404, 429, 500].map(status => said(refused(ended_at, status))),
        said({ ended_at, status: 403 }),
      ],
      [
        '502 after 0 ms, by the fault “A page of a proxy”',
        'waiting, by the fault “stall before headers”',
        '401 after 0 ms: its token was refused',
        '403 after 0 ms: its token may not do that',
        '404 after 0 ms: there is no such thing',
        '429 after 0 ms: the service limited its rate',
        '500 after 0 ms',
        '403 after 0 ms',
      ],
    );
  });

  it('calls a path by what it is about', () => {
    const group_id = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
    const groups = [{ group_id, display_name: 'The Engine', members: [] }];
    deepStrictEqual(
      [
        topicOf('/identity/events/live?watch_index=7'),
        topicOf(`/v1/groups/${group_id}/members`, groups),
        topicOf(`/v1/groups/${group_id}/members`),
        topicOf('//['),
      ],
      ['live events', 'members of The Engine', '/v1/groups/3fa85f64…/members', '//['],
    );
  });
});
