import { deepStrictEqual } from 'node:assert';
import { requestStories } from '../../../../../src/tools/workbench/page/stories/request-stories.js';
import { clientsOf } from '../../../../../src/tools/workbench/page/outcome/index.js';
import { storiesOf } from '../../../../../src/tools/workbench/page/stories/stories-of.js';
import type { StoryData } from '../../../../../src/tools/workbench/page/stories/story.js';
import { testOf } from '../../../../../src/tools/workbench/page/test-of.js';
import type { SeenAction, SeenRequest } from '../../../../../src/tools/workbench/world-view.js';
import { action, answered, event, poll, refused } from '../outcome/seen.js';

const identity = (identity_id: string, display_name: string) => ({
  identity_id,
  display_name,
  has_token: true,
});
const told = (
  now: number,
  requests: readonly SeenRequest[],
  actions: readonly SeenAction[] = [],
  more: Partial<StoryData> = {},
): StoryData => ({
  groups: [],
  planned: [],
  retention: 300_000,
  now,
  requests,
  clients: clientsOf(requests),
  actions,
  identities: [identity('a', 'Ada'), identity('b', 'Bo')],
  ...more,
});
/** The title and the end of each story, and what each client met. */
const tell = (...of: Parameters<typeof told>) =>
  storiesOf(told(...of)).map(({ title, end, effects }) => [
    title,
    end.words,
    ...effects.map(({ who, steps }) => [who, ...steps.map(({ short }) => short)].join(' | ')),
  ]);
const ofBo = (request: SeenRequest): SeenRequest => ({ ...request, who: 'Bo', who_id: 'b' });
/** What was done in the page: the cause of most trouble here. */
const broken = action(1_000, 'break proxy');
const bad = (at: number, ended_at: number, more: Partial<SeenRequest> = {}) =>
  poll(at, '9', { ended_at, status: 502, fault: 'proxy', cause: broken.id, ...more });

describe('the stories of a workbench', () => {
  it('tell what a gate has settled about a player, which is no trouble', () => {
    const call = (at: number, name: string, settled: string, status = 200): SeenRequest => ({
      ...poll(at, undefined, { ended_at: at + 5, status, settled, ray_id: 'a ray id' }),
      method: 'POST',
      path: `/v1/players/${name}`,
      who: 'lobby 1a2b3c4d',
      who_id: 'l',
      is_poll: false,
    });
    const requests = [
      call(0, 'connected', 'player …00000a is in'),
      call(10, 'connected', 'player …00000a was refused: already_connected', 400),
      call(20, 'disconnected', 'player …00000a is out, and their slot is free'),
    ];
    deepStrictEqual(tell(9_000, requests), [
      ['lobby 1a2b3c4d: player …00000a is out, and their slot is free', '', 'lobby 1a2b3c4d'],
      ['lobby 1a2b3c4d: player …00000a was refused: already_connected', '', 'lobby 1a2b3c4d'],
      ['lobby 1a2b3c4d: player …00000a is in', '', 'lobby 1a2b3c4d'],
    ]);
  });

  it('tell what a fault did to each client, and how it ended', () => {
    const requests = [
      ofBo(poll(0, '1', answered(50, '9'))),
      ofBo(poll(60, '9', { ended_at: 500 })),
      poll(0, '9'),
    ];
    const [open] = requests.splice(2) as [SeenRequest];
    requests.push({ ...open, ended_at: 1_000, status: 502, fault: 'proxy', cause: broken.id });
    requests.push(bad(1_400, 1_401, { fault: 'html' }), poll(2_300, '9'));
    const row = 'Ada | 502 | waited 400 ms | 502 | waited 899 ms';
    const others = 'Bo | was not connected: met nothing';
    deepStrictEqual(tell(9_000, requests, [broken])[0], [
      'You: Proxy answers 502',
      'over: back after 3.3 s, nothing lost',
      `${row} | ● live again`,
      others,
    ]);
    // It was not over yet.
    deepStrictEqual(tell(3_000, requests, [broken])[0], [
      'You: Proxy answers 502',
      'not over: 1 retrying',
      `${row} | tries again`,
      others,
    ]);
  });

  it('name no fault as the code does: neither in a title nor in a step', () => {
    const kept = poll(0, '9', { ...answered(900, '10'), fault: 'last_event_only' });
    const [of] = storiesOf(told(9_000, [kept]));
    const words = 'the fault “Only the last event is kept”';
    const [step] = of!.effects[0]!.steps;
    deepStrictEqual([of!.title, step!.short], [`Ada: ${words}`, words]);
    deepStrictEqual(step!.words.endsWith(` met ${words}`), true);
    const cut = storiesOf(told(9_000, [bad(0, 1_000)]))[0]!.effects[0]!.steps[0]!;
    deepStrictEqual(cut.words.endsWith(': a proxy answered 502, by the fault “Proxy answers 502”'), true);
  });

  it('say who did not come back, and who lost the index', () => {
    const end = (...of: Parameters<typeof told>) =>
      tell(...of).find(([title]) => title === 'You: Proxy answers 502')![1];
    deepStrictEqual(end(90_000, [bad(0, 1_000)], [broken]), '1 did not come back');
    deepStrictEqual(
      end(90_000, [bad(0, 1_000), poll(1_500, '9', { ended_at: 1_600 })], [broken]),
      '1 did not come back',
    );
    deepStrictEqual(
      end(90_000, [bad(0, 1_000), poll(1_500, undefined, answered(1_510, '12'))], [broken]),
      'over: back after 510 ms, with a gap: it began without an index',
    );
    deepStrictEqual(end(2_000, [], [broken]), 'no player met it');
    const planned = [{ kind: 'html', left: '2' }];
    deepStrictEqual(end(2_000, [], [broken], { planned }), 'no player has met it yet');
  });

  it('tell two outages apart if a client was live between them', () => {
    const once = (held: number) => {
      const again = poll(1_010, '9', { ended_at: 1_010 + held, status: 0 });
      return tell(90_000, [poll(0, '9', { ended_at: 1_000, status: 502 }), again]).length;
    };
    // A poll has to be held for 2 s longer than the one that failed.
    deepStrictEqual([once(2_999), once(3_001)], [1, 2]);
    // An answer that met a fault is an answer.
    const changed = poll(0, '9', { ...answered(900, '10'), fault: 'last_event_only' });
    const cut = poll(901, '10', { ended_at: 1_001, status: 502, fault: 'proxy', cause: broken.id });
    deepStrictEqual(tell(2_000, [changed, cut], [broken])[0]!.slice(0, 2), [
      'You: Proxy answers 502',
      'not over: 1 retrying',
    ]);
  });

  it('say that one who was refused has stopped, and why', () => {
    const rejected = poll(0, '1', refused(100, 401));
    deepStrictEqual(tell(60_000, [rejected]), [
      ['Ada was refused', 'stopped: its token was refused', 'Ada | 401 | has sent nothing since: stopped'],
    ]);
    // It is not said to try again before that, as its card does not say it either.
    deepStrictEqual(tell(200, [rejected]), tell(60_000, [rejected]));
    const renewed = poll(120, '1', answered(150, '2'));
    deepStrictEqual(tell(200, [rejected, renewed])[0]![1], 'over: back after 50 ms, nothing lost');
    const expired = action(50, 'token expire');
    deepStrictEqual(tell(60_000, [{ ...rejected, cause: expired.id }], [expired])[0]!.slice(0, 2), [
      'You: Expire token for Ada',
      'stopped: its token was refused',
    ]);
  });

  it('join the trouble of an outage that nobody here has made', () => {
    const down = (at: number) => poll(at, '9', { ended_at: at + 1, status: 0 });
    const requests = [down(1_000), ofBo(down(1_500)), { ...down(9_000), who: 'Cy', who_id: 'c' }];
    deepStrictEqual(
      tell(9_500, requests).map(([title, end]) => [title, end]),
      [
        ['Cy: the connection was lost', 'not over: 1 retrying'],
        ['Ada, Bo: the connection was lost', '2 did not come back'],
      ],
    );
  });

  it('have one cause each: an outage is over when the service answers, though it refuses the token', () => {
    const expired = action(2_000, 'token expire');
    const requests = [bad(0, 1_500), poll(1_700, '9', { ...refused(2_100, 401), cause: expired.id })];
    deepStrictEqual(
      tell(60_000, requests, [broken, expired]).map(([title, end]) => [title, end]),
      [
        ['You: Expire token for Ada', 'stopped: its token was refused'],
        ['You: Proxy answers 502', 'over: then its token was refused'],
      ],
    );
  });

  it('say that an expired token is met after the poll that is held', () => {
    const expired = action(2_000, 'token expire');
    deepStrictEqual(tell(20_000, [poll(0, '9')], [expired])[0], [
      'You: Expire token for Ada',
      'no effect yet',
      'Ada | live until its held poll ends: the next one is refused',
    ]);
  });

  it('say that a player waits who backs off', () => {
    const failed = poll(0, '800', answered(500, '40900'));
    const cut = (at: number, ended_at: number) => poll(at, '40900', { ended_at, status: 502 });
    const requests = [failed, cut(501, 600), cut(900, 901), cut(1_800, 1_801), cut(3_600, 3_601)];
    deepStrictEqual(
      tell(5_000, requests, [action(4_000, 'message "Hi"')]).find(([title]) => title!.startsWith('You'))![2],
      'Ada | waits to poll again. It gets this if it comes back within 336 s; after that, a gap',
    );
  });

  const sent = action(1_000, 'message "Hi"');
  const got = answered(1_122, '1200', event(1_000));
  const delivery = (now: number, ...requests: readonly SeenRequest[]) =>
    tell(now, requests, [sent]).find(([title]) => title!.startsWith('You'));

  it('say that a message is there once its player polls with the index of that answer', () => {
    deepStrictEqual(delivery(2_000, poll(0, '900', got)), [
      'You: Message “Hi” for Ada',
      'sent, not confirmed',
      'Ada | chat message | has not polled since: nothing says that it came',
    ]);
    deepStrictEqual(delivery(2_000, poll(0, '900', got), poll(1_126, '1200')), [
      'You: Message “Hi” for Ada',
      'delivered after 122 ms',
      'Ada | chat message | and polled again 4 ms later: it has it',
    ]);
  });

  it('say until when a message waits, and that it is lost', () => {
    const gone = poll(0, '800', answered(500, '40900'));
    deepStrictEqual(delivery(81_000, gone), [
      'You: Message “Hi” for Ada',
      'not delivered yet, 80.0 s',
      'Ada | is gone. It gets this if it comes back within 260 s; after that, a gap',
    ]);
    deepStrictEqual(delivery(400_000, gone)![2], 'Ada | did not come back in time: a gap');
    deepStrictEqual(
      delivery(81_000, gone, poll(501, '40900', refused(510, 401)))![2],
      'Ada | has stopped: its token was refused. It gets this if it comes back within 260 s; after that, a gap',
    );
    const lost = poll(0, '900', { ...answered(1_200, '1201'), fault: 'last_event_only' });
    deepStrictEqual(delivery(2_000, lost)![1], 'lost: the fault “Only the last event is kept”');
    deepStrictEqual(delivery(2_000)![1], 'no client follows their live events');
  });

  it('do not wait for a client that has gone if another one of its player has it', () => {
    const requests = [poll(0, '900', { ended_at: 500 }), poll(10, '900', got), poll(1_126, '1200')];
    deepStrictEqual(delivery(2_000, ...requests)!.length, 3);
  });

  it('fold runs of commands, and have no polls without news unless somebody has left', () => {
    const joins = [action(10, 'join'), action(20, 'join'), action(30, 'presence away')];
    deepStrictEqual(tell(90, [poll(0, '1', answered(5, '2')), poll(40, '2', { ended_at: 50 })], joins), [
      ['Ada has left', '', 'Ada'],
      ['You: Away for Ada', ''],
      ['You: Someone joins', ''],
    ]);
    deepStrictEqual(
      storiesOf(told(90, [], joins)).map(({ actions }) => actions.length),
      [1, 2],
    );
  });

  it('keep the time when a run began, so that a list that is read does not lose its row', () => {
    const timesOf = (...requests: SeenRequest[]) =>
      storiesOf(told(90, requests)).map(({ at, until }) => [at, until]);
    const left = poll(0, '1', { ended_at: 50 });
    deepStrictEqual(timesOf(left), [[50, 50]]);
    deepStrictEqual(timesOf(left, poll(10, '1', { ended_at: 60 })), [[50, 60]]);
  });

  it('have events that nobody here has made', () => {
    const news = poll(0, '1', answered(100, '2', event(90, 'Bo is away', 'identity_update')));
    deepStrictEqual(tell(200, [news]), [['Ada got identity update: Bo is away', '', 'Ada']]);
  });

  it('can be told request by request', () => {
    const requests = [poll(0, '1', answered(100, '2')), poll(101, '2')];
    deepStrictEqual(
      requestStories(told(200, requests)).map(({ title }) => title),
      ['Ada, live events: waiting', 'Ada, live events: nothing new after 100 ms'],
    );
  });

  it('can be copied as a test', () => {
    const calls = ["emulator.fault({ kind: 'html' }, { times: 2 });"];
    const text = testOf([action(0, 'message "Are you there?"'), action(1, 'break proxy', { calls })]);
    deepStrictEqual(text.includes('  control.type("message \\"Are you there?\\"");'), true);
    deepStrictEqual(text.includes(`  ${calls[0]}`), true);
    deepStrictEqual(text.includes('break proxy'), false);
  });
});
