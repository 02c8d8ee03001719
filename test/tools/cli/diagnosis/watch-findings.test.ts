import { deepStrictEqual, match, strictEqual } from 'node:assert';
import { defer, delay, EMPTY, lastValueFrom, map, of, toArray, type Observable } from 'rxjs';
import { createClient, type Transport, type TransportResponse } from 'lobby-rx';
import { createEmulator, type Emulator, type Fault, type FaultPlan } from 'lobby-rx/emulator';
import {
  memberFindings,
  observedTransport,
  watchFindings,
  type Finding,
  type Surroundings,
} from '../../../../src/tools/cli/diagnosis/index.js';
import { virtualTime } from '../../../virtual-time.js';

const HELD: FaultPlan = { only: ({ url }) => url.includes('watch_index='), times: 10 };

/** Asks through a transport without a token. */
function plainly(transport: Transport, url: string): Surroundings['withoutToken$'] {
  return defer(() => transport({ method: 'GET', url, headers: {} })).pipe(
    map(({ status, text, headers }) => ({
      url,
      status,
      text,
      headers: headers as Headers,
      took: 0,
      sender: 'other' as const,
      clockAhead: undefined,
    })),
  );
}

/** What is found of a service with faults, in virtual time. `meanwhile` is called every second. */
function found(
  faults: readonly (readonly [Fault, FaultPlan?])[] = [],
  {
    token,
    meanwhile,
  }: { token?: string; meanwhile?: (emulator: Emulator, identity_id: string) => void } = {},
): readonly Finding[] {
  const { scheduler, pass } = virtualTime();
  const emulator = createEmulator({ scheduler, collectTime: 0 });
  const identity = emulator.addIdentity();
  for (const [fault, plan] of faults) emulator.fault(fault, plan);
  const { transport, lastAnswer } = observedTransport(emulator.transport);
  const client = createClient({
    url: emulator.url,
    transport,
    scheduler,
    token: token ?? identity.token,
  });
  const findings: Finding[] = [];
  let isComplete = false;
  const withoutToken$ = plainly(emulator.transport, `${emulator.url}/identity/events/live`);
  watchFindings(client, { now: () => scheduler.now(), lastAnswer, withoutToken$ }).subscribe({
    next: finding => findings.push(finding),
    complete: () => {
      isComplete = true;
    },
  });
  for (let second = 0; second < 100; second++) {
    meanwhile?.(emulator, identity.identity_id);
    pass(1_000);
  }
  strictEqual(isComplete, true);
  return findings;
}

const texts = (findings: readonly Finding[]) =>
  findings.map(({ check, level, text }) => `${level} ${check}: ${text}`);

describe('doctor, of a watch', () => {
  it('says for how long the service holds a poll', () => {
    deepStrictEqual(texts(found()), [
      'ok token: is accepted, and the answer is as it should be',
      'ok clocks: no two machines of the service were seen to differ',
      'ok poll: the service held it for 40 s, and answered itself',
    ]);
  });

  // A clock that a busy machine does not disturb.
  let time = 0;
  const now = () => time++;
  const foundBy = (
    answer: (request: { token: string | undefined; url: string; n: number }) => Partial<TransportResponse>,
  ) => {
    let n = 0;
    const answers: Transport = ({ url, headers }) =>
      defer(() => {
        const {
          status = 200,
          headers: own = new Headers(),
          text = '',
        } = answer({
          token: headers.authorization,
          url,
          n: n++,
        });
        return of({ status, headers: own, text });
      });
    const { transport, lastAnswer } = observedTransport(answers);
    const client = createClient({ url: 'https://a.example', token: 'a-token', transport });
    const withoutToken$ = plainly(answers, 'https://a.example/identity/events/live');
    return textsOf(watchFindings(client, { now, lastAnswer, withoutToken$ }));
  };
  const textsOf = async (findings$: Observable<Finding>) =>
    (await lastValueFrom(findings$.pipe(toArray()))).map(
      ({ check, text, advice = '' }) => `${check}: ${text} → ${advice}`,
    );
  const noNews = (index: number) => JSON.stringify({ events: [], watch: { index: String(index) } });
  const refusal = (code: string, n = 0) => JSON.stringify({ code, message: 'No.', ray_id: String(n) });
  const SECOND = 1_795_000_000_000;

  it('says that a token is refused as none is: a proxy may have removed it', async () => {
    const missing = ({ n }: { n: number }) => ({ status: 401, text: refusal('MISSING', n) });
    match(
      (await foundBy(missing))[0]!,
      /^token: the service answers 401 MISSING, as it does without a token → check LOBBY_RX_TOKEN.* a proxy removes Authorization/,
    );
    const squid = new Headers({ via: '1.1 lobby (squid/5.7)' });
    match(
      (await foundBy(request => ({ ...missing(request), headers: squid })))[0]!,
      / → squid removes Authorization without login=PASSTHRU: set that/,
    );
    const [expired] = await foundBy(({ token, ...request }) =>
      token ? { status: 401, text: refusal('EXPIRED') } : missing(request),
    );
    match(expired!, /^token: the service answers 401 EXPIRED → check LOBBY_RX_TOKEN: whose/);
  });

  it('says that a rejection comes from a cache, if it does', async () => {
    const headers = new Headers({ age: '30' });
    match(
      (await foundBy(() => ({ status: 401, text: refusal('EXPIRED'), headers })))[0]!,
      /^token: a cache answers 401 EXPIRED → turn it off for the service/,
    );
  });

  it('says that a service is slow, and does not ask eight more times', () => {
    const { scheduler, pass } = virtualTime();
    const emulator = createEmulator({ scheduler, collectTime: 0 });
    const { token } = emulator.addIdentity();
    const slow: Transport = request => emulator.transport(request).pipe(delay(8_000, scheduler));
    const { transport, lastAnswer } = observedTransport(slow);
    const client = createClient({ url: emulator.url, transport, scheduler, token });
    const findings: Finding[] = [];
    const around = { now: () => scheduler.now(), lastAnswer, withoutToken$: EMPTY };
    watchFindings(client, around).subscribe(finding => findings.push(finding));
    pass(60_000);
    deepStrictEqual(texts(findings), [
      'ok token: is accepted, and the answer is as it should be',
      'warning speed: an answer that needs no wait took 8.0 s',
      'ok poll: the service held it for 48 s, and answered itself',
    ]);
  });

  it('says that anyone is given what was given to a token', async () => {
    const shared = await foundBy(() => ({ text: noNews(SECOND) }));
    match(shared[1]!, /^cache: gives one caller's answer to another.* → turn it off/);
    const own = await foundBy(({ token, n }) =>
      token ? { text: noNews(SECOND + n) } : { status: 401, text: refusal('MISSING') },
    );
    strictEqual(
      own.some(finding => finding.startsWith('cache')),
      false,
    );
  });

  it('says that connections are closed if that of an answer to a token is', async () => {
    const closing = new Headers({ connection: 'close' });
    const closes = await foundBy(({ n }) => ({ text: noNews(SECOND + n), headers: closing }));
    match(closes[1]!, /^headers: each request needs a new connection/);
    const keeps = await foundBy(({ token, n }) =>
      token ? { text: noNews(SECOND + n) } : { status: 401, text: refusal('MISSING'), headers: closing },
    );
    strictEqual(
      keeps.some(finding => finding.startsWith('headers')),
      false,
    );
  });

  it('says by how much the clocks of two machines differ', async () => {
    const replicas = await foundBy(({ n }) => ({ text: noNews(SECOND + n - (n % 2) * 2_000) }));
    match(
      replicas.find(finding => finding.startsWith('clocks'))!,
      /have clocks that are (?:199\d|2\d\d\d) ms apart or more: events are lost/,
    );
    const close = await foundBy(({ n }) => ({ text: noNews(SECOND + n - (n % 2) * 50) }));
    match(
      close.find(finding => finding.startsWith('clocks'))!,
      /no two machines/,
    );
    const failing = await foundBy(({ n }) =>
      n === 4 ? { status: 500 } : { text: noNews(SECOND + n - (n % 2) * 2_000) },
    );
    match(
      failing.find(finding => finding.startsWith('clocks'))!,
      /ms apart or more/,
    );
    const opaque = await foundBy(({ n }) => ({ text: noNews(9 - n) }));
    strictEqual(
      opaque.some(finding => finding.startsWith('clocks')),
      false,
    );
  });

  it('names the proxy that ends polls, and its setting', async () => {
    const behind = (headers: Record<string, string>, page = '') =>
      foundBy(({ url, n }) =>
        url.includes('watch_index')
          ? { status: 504, headers: new Headers(headers), text: page }
          : { text: noNews(SECOND + n) },
      );
    for (const [headers, page, expected] of [
      [{ server: 'Apache/2.4.71 (Debian)' }, '', /let Apache wait for 75 s: ProxyTimeout 75/],
      [{ server: 'Varnish' }, '', /let Varnish wait for 75 s: \.first_byte_timeout = 75s/],
      [{}, "<h1>504 Gateway Time-out</h1>The server didn't respond in time.", /timeout server 75s/],
      [{ server: 'mine' }, '', /let every proxy wait for 75 s/],
    ] as const)
      match((await behind(headers, page)).at(-1)!, expected);
  });

  it('says how long to wait in words, if that is long', async () => {
    const limited = (wait: string) =>
      foundBy(() => ({ status: 429, headers: new Headers({ 'retry-after': wait }), text: refusal('LIMIT') }));
    match((await limited('90'))[0]!, /for 90 s →/);
    match((await limited('600'))[0]!, /for 10 minutes →/);
    match((await limited('172800'))[0]!, /for 2 days →/);
    match((await limited('999999999'))[0]!, /for more than a year →/);
  });

  it('says why an event cannot be read', () => {
    const transport: Transport = () =>
      of({ status: 200, headers: { get: () => null }, text: '{"events":[7],"watch":{"index":""}}' });
    const findings: Finding[] = [];
    const client = createClient({ url: 'https://x', token: 'a-token', transport });
    watchFindings(client, { now: () => 0, lastAnswer: () => undefined, withoutToken$: EMPTY }).subscribe(
      finding => findings.push(finding),
    );
    deepStrictEqual(texts(findings), [
      'ok token: is accepted',
      'warning events: one cannot be read: events[0] must be Event; got a number',
      'problem index: an answer has no watch.index',
    ]);
  });

  it('waits for a poll without news, and gives up if there always is some', () => {
    let published = 0;
    const once = (emulator: Emulator, id: string) => {
      if (published++ === 3) emulator.publish(id, { tick: 1 });
    };
    deepStrictEqual(
      texts(found([], { meanwhile: once })).at(-1),
      'ok poll: the service held it for 40 s, and answered itself',
    );
    const always = (emulator: Emulator, id: string) => void emulator.publish(id, { tick: 1 });
    match(texts(found([], { meanwhile: always })).at(-1)!, /^warning poll: there is always news/);
  });

  for (const [title, faults, expected] of [
    ['an index that is not honoured', [[{ kind: 'hot' }, HELD]], /^problem poll: polls are answered at once/],
    [
      'an index that is refused',
      [[{ kind: 'error', status: 400 }, HELD]],
      /^problem index: .*has just given \(400\)/,
    ],
    [
      'an answer without an index',
      [[{ kind: 'index_missing' }]],
      /^problem index: an answer has no watch.index/,
    ],
    [
      'a proxy that ends polls',
      [[{ kind: 'html', status: 504, after: 30_000 }, HELD]],
      /^problem poll: a proxy ended it after 30 s \(504\)/,
    ],
    [
      'a connection that is closed',
      [[{ kind: 'reset_before_headers' }, HELD]],
      /^problem poll: the connection was closed after/,
    ],
    [
      'a poll without an answer',
      [[{ kind: 'stall_before_headers' }, HELD]],
      /^problem poll: there was no answer within 70 s/,
    ],
    [
      'a service that fails after a while',
      [[{ kind: 'error', status: 500, after: 50_000 }, HELD]],
      /^problem poll: the service answers 500 ERROR/,
    ],
    ['a page instead of an answer', [[{ kind: 'html', status: 200 }]], /^problem token: /],
    ['a page instead of the answer to a poll', [[{ kind: 'html', status: 200 }, HELD]], /^problem poll: /],
    ['other JSON', [[{ kind: 'wrong_json' }]], /^problem token: events: expected/],
    ['a redirect', [[{ kind: 'redirect' }]], /^problem token: .*redirect/],
    [
      'an expired token',
      [[{ kind: 'unauthorized' }]],
      /^problem token: the service answers 401 CLAIMS_ENTITLEMENT_EXPIRED/,
    ],
    ["a proxy's 403", [[{ kind: 'html', status: 403 }]], /^problem token: 403, and not from the service/],
    [
      'a rate limit',
      [[{ kind: 'rate_limited', wait: 90_000 }]],
      /^problem token: the rate is limited \(429\) for 90 s/,
    ],
    [
      'a rate limit whose wait is hidden',
      [[{ kind: 'html', status: 429 }]],
      /^problem token: the rate .* without a time to wait/,
    ],
    [
      'a proxy that limits polls',
      [[{ kind: 'html', status: 429 }, HELD]],
      /^problem poll: the rate is limited/,
    ],
  ] satisfies readonly (readonly [string, readonly (readonly [Fault, FaultPlan?])[], RegExp])[])
    it(`finds ${title}, and says what to do`, () => {
      const last = found(faults).at(-1)!;
      match(texts([last])[0]!, expected);
      match(last.advice!, /\w/);
    });

  it("takes the service's own time-out for its answer", () => {
    const { scheduler, pass } = virtualTime();
    const emulator = createEmulator({ scheduler });
    const { token } = emulator.addIdentity();
    const timedOut = {
      status: 500,
      text: '{"code":"API_REQUEST_TIMEOUT","message":"Timed out."}',
      headers: new Headers({ 'rvt-ray-id': 'r' }),
    };
    const transport: Transport = request =>
      request.url.includes('watch_index=')
        ? of(timedOut).pipe(delay(50_000, scheduler))
        : emulator.transport(request);
    const client = createClient({ url: emulator.url, transport, scheduler, token });
    const findings: Finding[] = [];
    watchFindings(client, {
      now: () => scheduler.now(),
      lastAnswer: () => undefined,
      withoutToken$: EMPTY,
    }).subscribe(finding => findings.push(finding));
    pass(60_000);
    strictEqual(texts(findings).at(-1), 'ok poll: the service held it for 50 s, and ended it itself');
  });

  it('says that a token is wrong without showing it', () => {
    const findings = found([], { token: 'a-wrong-token' });
    match(texts(findings)[0]!, /^problem token: the service answers 401/);
    strictEqual(JSON.stringify(findings).includes('a-wrong-token'), false);
  });
});

describe('doctor, of members', () => {
  it('says that a group is wrong, which is for its caller to mend', () => {
    const emulator = createEmulator();
    const { token } = emulator.addIdentity();
    const client = createClient({ url: emulator.url, transport: emulator.transport, token });
    const findings: Finding[] = [];
    for (const group of [emulator.addGroup(), 'none'])
      memberFindings(client, group).subscribe(finding => findings.push(finding));
    deepStrictEqual(
      findings.map(({ level, advice }) => `${level}: ${advice}`),
      Array(2).fill('problem: check --group, and whether LOBBY_RX_TOKEN may see it'),
    );
  });

  it('says how many on the first page cannot be read, and why', () => {
    const { scheduler, pass } = virtualTime();
    const emulator = createEmulator({ scheduler });
    const { identity_id, token } = emulator.addIdentity();
    const group_id = emulator.addGroup();
    emulator.join(group_id, identity_id);
    const client = createClient({ url: emulator.url, transport: emulator.transport, scheduler, token });
    const findings: Finding[] = [];
    const find = (id: string) => {
      memberFindings(client, id).subscribe(finding => findings.push(finding));
      pass(1_000);
    };
    find(group_id);
    emulator.fault({ kind: 'member_malformed' });
    find(group_id);
    find('another');
    deepStrictEqual(texts(findings), [
      'ok members: all 1 on the first page are as they should be',
      'warning members: 1 of 1 on the first page cannot be read: members[0].identity.display_name must be string; got null',
      'problem members: the service answers 404 GROUP_NOT_FOUND',
    ]);
  });
});
