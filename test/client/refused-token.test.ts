import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { Observable, Subject } from 'rxjs';
import {
  createClient,
  isUnauthorizedError,
  type Client,
  type LogEntry,
  type Token,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from 'lobby-rx';
import { virtualTime } from '../virtual-time.js';

const EXPIRED = '{"code":"CLAIMS_ENTITLEMENT_EXPIRED"}';

/**
 * A client whose polls the service holds until it answers, by the path and the token; a poll
 * without an index is answered at once.
 */
function world(token: Token) {
  const { scheduler, pass } = virtualTime();
  const open: { request: TransportRequest; answer: (status: number, text: string) => void }[] = [];
  const transport: Transport = request =>
    new Observable<TransportResponse>(subscriber => {
      request.onSent?.();
      const answer = (status: number, text: string) => {
        subscriber.next({ status, text, headers: { get: () => null } });
        subscriber.complete();
      };
      const isHeld = request.url.includes('watch_index') || !request.url.endsWith('/live');
      if (!isHeld) return answer(200, '{"events":[],"watch":{"index":"1"}}');
      const exchange = { request, answer };
      open.push(exchange);
      return () => open.splice(open.indexOf(exchange), 1);
    });
  const log: LogEntry[] = [];
  const client = createClient({
    url: 'https://x',
    token,
    transport,
    scheduler,
    log: entry => log.push(entry),
    testing: { random: () => 0.5 },
  });
  const tokens = () => open.map(({ request }) => request.headers.authorization?.replace('Bearer ', ''));
  return { client, open, tokens, pass, log };
}

/** How a watch ends, and what it says. */
function follow(client: Client) {
  const seen = { states: [] as string[], error: undefined as unknown };
  const feed = client.events.createFeed();
  feed.status$.subscribe(({ state }) => seen.states.push(state));
  feed.all$.subscribe({
    error: (error: unknown) => {
      seen.error = error;
    },
  });
  return seen;
}

describe('a token that is refused', () => {
  it('is known to every open poll of its client, and ends it, too, if there is no other token', () => {
    for (const token of ['T1', { get: () => 'T1', renew: () => null }]) {
      const { client, open, pass } = world(token);
      const errors: unknown[] = [];
      client.unauthorized$.subscribe(error => errors.push(error));
      const watches = [follow(client), follow(client), follow(client)];
      const other = follow(client.as('T9'));
      pass(10_000);
      strictEqual(open.length, 4);
      open[1]!.answer(401, EXPIRED);
      pass(100);
      for (const { states, error } of watches) {
        strictEqual(states.at(-1), 'closed');
        ok(isUnauthorizedError(error) && error.cause?.code === 'CLAIMS_ENTITLEMENT_EXPIRED');
        match(error.message, /^sign in again: /);
      }
      deepStrictEqual([other.states.at(-1), open.length, errors.length], ['live', 1, 1]);
    }
  });

  it('is replaced by the one that `get` gives by now, in the same moment', () => {
    let current = 'T1';
    const renewed$ = new Subject<string | null>();
    const { client, open, tokens, pass } = world({ get: () => current, renew: () => renewed$ });
    const watches = [follow(client), follow(client)];
    pass(10_000);
    open[0]!.answer(401, EXPIRED);
    // A renewal is in flight; the other poll goes on.
    deepStrictEqual(tokens(), ['T1']);
    current = 'T2';
    renewed$.next(null);
    renewed$.complete();
    pass(100);
    deepStrictEqual([watches.map(({ states }) => states.at(-1)), tokens()], [['closed', 'live'], ['T2']]);
  });

  it('is one of several if the renewed one is refused, too', () => {
    const { client, open, tokens, pass } = world({ get: () => 'T1', renew: () => 'T2' });
    const watches = [follow(client), follow(client)];
    pass(10_000);
    open[0]!.answer(401, EXPIRED);
    pass(10);
    deepStrictEqual(tokens(), ['T1', 'T2']);
    open[1]!.answer(401, EXPIRED);
    pass(10);
    deepStrictEqual([watches.map(({ states }) => states.at(-1)), open.length], [['closed', 'closed'], 0]);
  });

  it('ends no one else by the 401 of a plain request, of a proxy, or for a route that it is not for', () => {
    const missing = '{"code":"CLAIMS_MISSING_ENTITLEMENT"}';
    for (const [isPlain, text, told] of [
      [true, EXPIRED, 1],
      [false, '<html>', 0],
      [false, missing, 0],
    ] as const) {
      const { client, open, pass } = world('T1');
      let errors = 0;
      client.unauthorized$.subscribe(() => errors++);
      const [first, second] = [follow(client), follow(client)];
      if (isPlain) client.group.getMembers({ group_id: 'g' }).subscribe({ error: () => undefined });
      pass(10_000);
      const { answer } = open.find(({ request }) => request.url.includes('/groups/') === isPlain)!;
      answer(401, text);
      pass(1);
      deepStrictEqual([second.states.at(-1), errors], ['live', told]);
      strictEqual(first.states.at(-1), text === missing ? 'closed' : 'live');
    }
  });

  it('ends no one else if `renew` throws', () => {
    const renew = () => {
      throw new Error('the network');
    };
    const { client, open, pass } = world({ get: () => 'T1', renew });
    const watches = [follow(client), follow(client)];
    pass(10_000);
    open[0]!.answer(401, EXPIRED);
    pass(1);
    deepStrictEqual(
      watches.map(({ states }) => states.at(-1)),
      ['retrying', 'live'],
    );
  });

  it('is not reported if nobody is signed in: that is reported once, until somebody is', () => {
    let current: string | null = 'T1';
    const { client, open, pass } = world(() => current);
    let errors = 0;
    let isComplete = false;
    client.unauthorized$.subscribe({
      next: () => errors++,
      complete: () => {
        isComplete = true;
      },
    });
    const watch = follow(client);
    pass(10_000);
    current = null;
    const ask = () => client.group.getMembers({ group_id: 'g' }).subscribe({ error: () => undefined });
    ask();
    ask();
    pass(10);
    ok(isUnauthorizedError(watch.error) && watch.error.cause === undefined);
    deepStrictEqual([watch.states.at(-1), open.length, errors], ['closed', 0, 1]);
    current = 'T2';
    ask();
    current = null;
    ask();
    deepStrictEqual([open.length, errors], [1, 2]);
    client.close();
    strictEqual(isComplete, true);
  });
});

describe('the log of a client', () => {
  it('says of a request that it was not sent, for want of a token', () => {
    const { client, log, pass } = world(() => {
      throw new Error('no session');
    });
    client.group.getMembers({ group_id: 'g' }).subscribe({ error: () => undefined });
    pass(10);
    deepStrictEqual(
      log.map(entry => [entry.kind, 'requestId' in entry]),
      [['not_sent', false]],
    );
  });
});
