import { deepStrictEqual } from 'node:assert';
import type { LogEntry } from 'lobby-rx';
import { drawnRequests } from '../../../../../src/tools/workbench/page/happened/drawn-requests.js';

describe('the drawings of a workbench', () => {
  const { location } = globalThis as { location?: unknown };
  before(() => Object.assign(globalThis, { location: { origin: 'http://127.0.0.1:1' } }));
  after(() => Object.assign(globalThis, { location }));

  it('go on after a request for a path that is no URL beside a base', () => {
    const drawn: string[] = [];
    const row = { log: () => undefined, event: () => undefined };
    const draw = drawnRequests({
      now: Date.now,
      log: (entry: LogEntry) => entry.kind === 'answer' && drawn.push(entry.url),
      watch: name => {
        drawn.push(name);
        return row;
      },
    });
    const paths = ['//[', '*', 'https://lobby.example/a', '/groups/a/members?watch_index=7'];
    draw(
      paths.map((path, id) => ({
        ...{
          id,
          path,
          who: 'Ada',
          who_id: 'a',
          has_news: false,
          method: 'GET',
          at: 0,
          ended_at: 1,
          status: 404,
          events: [],
        },
        is_poll: path.includes('watch_index'),
      })),
    );
    deepStrictEqual(drawn, [
      'http://127.0.0.1:1//[',
      'http://127.0.0.1:1/*',
      'https://lobby.example/a',
      'Ada: /groups/a/members',
      'http://127.0.0.1:1/groups/a/members?watch_index=7',
    ]);
  });
});
