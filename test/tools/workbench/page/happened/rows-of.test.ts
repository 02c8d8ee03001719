import { deepStrictEqual } from 'node:assert';
import { rowsOf, type Row } from '../../../../../src/tools/workbench/page/happened/rows-of.js';
import { testOf } from '../../../../../src/tools/workbench/page/happened/test-of.js';
import type { SeenAction, SeenEvent, SeenRequest } from '../../../../../src/tools/workbench/world-view.js';

let id = 0;
const poll = (at: number, more: Partial<SeenRequest> = {}): SeenRequest => ({
  ...{ id: ++id, method: 'GET', path: '/identity/events/live?watch_index=1', who: 'Ada', who_id: 'a' },
  ...{ is_poll: true, at, ended_at: at + 100, status: 200, events: [], has_news: false },
  ...more,
});
const news = (at: number, ...events: readonly SeenEvent[]) => poll(at, { events, has_news: true });
const event = (at: number, text = '“Hi”', kind = 'chat_message'): SeenEvent => ({ kind, at, text });
const action = (at: number, line: string): SeenAction => ({
  id: ++id,
  line,
  who_id: 'a',
  at,
  after: at - 1,
  until: at + 1,
});

const said = (row: Row): unknown => {
  if (row.kind === 'event') return `${row.event.text}${row.was === undefined ? '' : ` (was ${row.was})`}`;
  if (row.kind === 'action') return [row.action.line, row.outcome, ...row.rows.map(said)];
  return `${row.kind} ${row.requests.length}`;
};
const rows = (requests: readonly SeenRequest[], ...actions: readonly SeenAction[]) =>
  rowsOf(requests, actions).map(said);

describe('the rows of a workbench', () => {
  it('are events and failures, the newest first, and fold polls without news', () => {
    const failed = poll(400, { status: 502 });
    const requests = [poll(0), poll(100), poll(200), news(300, event(310)), failed, poll(500)];
    deepStrictEqual(rows(requests), ['quiet 1', 'request 1', '“Hi”', 'quiet 3']);
  });

  it('fold the failures of an outage, but not what a client did wrong', () => {
    const down = (at: number) => poll(at, { status: 0, fault: 'reset_before_request' });
    const refused = (at: number) => poll(at, { status: 401 });
    deepStrictEqual(rows([down(0), down(100), down(200), poll(300, { status: 502 }), poll(400)]), [
      ...['quiet 1', 'request 1', 'request 3'],
    ]);
    deepStrictEqual(rows([refused(0), refused(100)]), ['request 1', 'request 1']);
  });

  it('say who was what before', () => {
    const is = (at: number, status: string) => news(at, event(at, `Bo is ${status}`, 'identity_update'));
    deepStrictEqual(rows([is(0, 'online'), is(200, 'away'), is(400, 'away')]), [
      ...['Bo is away', 'Bo is away (was online)', 'Bo is online'],
    ]);
  });

  it('have what was done, with what came of it', () => {
    const message = 'message "Hi"';
    deepStrictEqual(rows([news(0, event(50))], action(49, message)), [[message, '', '“Hi”']]);
    deepStrictEqual(rows([news(0, event(50))], action(900, 'token expire')), [['token expire', ''], '“Hi”']);
  });

  it('say what is lost, what is not delivered yet, and what nobody follows', () => {
    const sent = action(50, 'lobby');
    const outcome = (...requests: readonly SeenRequest[]) =>
      (rowsOf(requests, [sent]).at(-1) as { outcome: string }).outcome;
    const only = (request: SeenRequest) => rowsOf([request], [sent]).find(({ kind }) => kind === 'action');
    const of = (request: SeenRequest) => (only(request) as { outcome: string }).outcome;
    deepStrictEqual(outcome(), 'nobody follows their live events');
    const open: Partial<SeenRequest> = poll(0);
    delete (open as { ended_at?: number }).ended_at;
    delete (open as { status?: number }).status;
    deepStrictEqual(of(open as SeenRequest), 'not delivered yet');
    deepStrictEqual(of(poll(0, { status: 502 })), 'not delivered yet');
    deepStrictEqual(of(poll(0)), 'lost');
    deepStrictEqual(of(poll(0, { fault: 'last_event_only' })), 'lost: the fault last_event_only');
    // An answer from before it was sent says nothing.
    deepStrictEqual(of(poll(-100)), 'not delivered yet');
  });

  it('can be copied as a test', () => {
    const text = testOf([action(0, 'message "Are you there?"'), action(1, 'break down')]);
    deepStrictEqual(text.includes('  control.type("message \\"Are you there?\\"");'), true);
    // It is no command, but somebody has to plan it.
    deepStrictEqual(/^ {2}\/\/ Service down 10 s:.*$/m.test(text) && !text.includes('break'), true);
  });
});
