import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { called } from './called.js';

interface Answer {
  readonly status: number;
  readonly text?: string;
  readonly headers?: OutgoingHttpHeaders;
}

/** What is in the place of the service, and what the doctor has to say of it. */
interface Situation {
  /** The answer to a request without a token, and to all others unless they have their own. */
  readonly plain: Answer;
  readonly withToken?: Answer;
  readonly toPoll?: Answer;
  /** All findings but those that are ok, in their order, each with its advice. */
  readonly expected: readonly RegExp[];
  readonly code: 0 | 1 | 3;
}

const RAY = { 'rvt-ray-id': '6f2c' };
const REFUSED = '{"code":"CLAIMS_MISSING_ENTITLEMENT","message":"No token."}';
const OWN_REFUSAL: Answer = { status: 401, text: REFUSED, headers: RAY };
const NO_NEWS = '{"events":[],"watch":{"index":"1"}}';
const OWN_NEWS: Answer = { status: 200, text: NO_NEWS, headers: RAY };
/** The service ends a poll itself. */
const TIMED_OUT = { status: 500, text: '{"code":"API_REQUEST_TIMEOUT"}' };
const FASTIFY = '{"statusCode":504,"code":"FST_REPLY_FROM_GATEWAY_TIMEOUT","error":"Gateway Timeout"}';
const PAGE = { 'content-type': 'text/html; charset=utf-8' };

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'all is well': {
    plain: OWN_REFUSAL,
    withToken: OWN_NEWS,
    toPoll: { ...TIMED_OUT, headers: RAY },
    expected: [],
    code: 0,
  },
  'the service fails': {
    plain: { status: 503, text: '{"code":"API_UNAVAILABLE"}', headers: RAY },
    expected: [/^problem service: the service fails \(503\) → see whether the service runs/],
    code: 3,
  },
  'the service crashes': {
    plain: { status: 500 },
    expected: [/^problem service: something fails without a word \(500\).* → see the log of the service/],
    code: 3,
  },
  'a proxy written with Fastify gets no answer from the service': {
    plain: { status: 504, text: FASTIFY },
    expected: [
      /^problem service: something fails \(504 FST_\w+\): the service, or a proxy .* → see whether both run/,
    ],
    code: 3,
  },
  'nginx finds no service': {
    plain: { status: 502, text: '<title>502 Bad Gateway</title>', headers: { server: 'nginx/1.22.1' } },
    expected: [/^problem service: nginx answers, and not the service \(502\) → see whether the service runs/],
    code: 3,
  },
  'a cache has stored the refusal of a request without a token': {
    plain: { ...OWN_REFUSAL, headers: { ...RAY, age: '30' } },
    expected: [/^problem service: a cache answers \(401\), and not the service → turn it off/],
    code: 3,
  },
  'a cache has stored the refusal of a token': {
    plain: OWN_REFUSAL,
    withToken: { status: 401, text: REFUSED, headers: { ...RAY, age: '30' } },
    expected: [/^problem token: a cache answers 401 CLAIMS_MISSING_ENTITLEMENT → turn it off/],
    code: 1,
  },
  'a firewall blocks the request': {
    plain: {
      status: 403,
      text: '<title>Request blocked</title>',
      headers: { ...PAGE, server: 'awselb/2.0' },
    },
    expected: [/^problem service: a proxy refuses the request \(403\), and not .* → let firewalls pass GET/],
    code: 3,
  },
  'a firewall with JSON and a ray id of its own blocks it': {
    plain: { status: 403, text: '{"error_code":1020,"ray_id":"8f00ba4","title":"Access denied"}' },
    expected: [/^problem service: a proxy refuses the request \(403\), and not .* → let firewalls pass GET/],
    code: 3,
  },
  'a login page is in between': {
    plain: { status: 302, headers: { location: 'https://login.example/?next=x' } },
    expected: [
      /^problem service: is a redirect \(302\) to https:\/\/login\.example\/, where .* → is that a login\?/,
    ],
    code: 3,
  },
  'a network wants a login': {
    plain: { status: 511, text: '<title>Sign in to this network</title>', headers: PAGE },
    expected: [/^problem service: a proxy in front of it wants a login \(511\) → let it pass/],
    code: 3,
  },
  'a captive portal answers with its page': {
    plain: { status: 200, text: '<title>Welcome</title>', headers: PAGE },
    expected: [/^problem service: is not at this URL, but a page \(200\) → the URL is what/],
    code: 3,
  },
  'the URL is that of another path of the service': {
    plain: { status: 404, text: '{"code":"API_NOT_FOUND"}', headers: RAY },
    expected: [/^problem service: is not at this URL \(404\) → the URL is what comes before/],
    code: 3,
  },
  'a gateway wants a key of its own, and its codes are like those of the service': {
    plain: { status: 401, text: '{"code":"UNAUTHORIZED_NO_AUTH_HEADER","message":"No API key"}' },
    expected: [
      /^warning service: seems to answer \(401 UNAUTHORIZED_NO_AUTH_HEADER\), without the rvt-ray-id/,
      /^problem token: what seems to be the service answers 401 UNAUTHORIZED_NO_AUTH_HEADER, as it does without/,
    ],
    code: 1,
  },
  'a gateway behind the same URL rejects the token, with a code like those of the service': {
    plain: OWN_REFUSAL,
    withToken: { status: 401, text: '{"code":"UNAUTHORIZED_KEY","message":"No such key"}' },
    expected: [
      /^problem token: 401, and not from the service: a proxy or another server answers → check the URL, and/,
    ],
    code: 1,
  },
  'the service rejects the token': {
    plain: OWN_REFUSAL,
    withToken: { status: 401, text: '{"code":"CLAIMS_ENTITLEMENT_EXPIRED"}', headers: RAY },
    expected: [
      /^problem token: the service answers 401 CLAIMS_ENTITLEMENT_EXPIRED → check LOBBY_RX_TOKEN: whose/,
    ],
    code: 1,
  },
  'a proxy removes the token': {
    plain: OWN_REFUSAL,
    withToken: OWN_REFUSAL,
    expected: [
      /^problem token: the service answers 401 CLAIMS\w+, as it does without a token → .* removes Authorization/,
    ],
    code: 1,
  },
  'the service has no ray ids': {
    plain: { status: 401, text: REFUSED },
    withToken: { status: 200, text: NO_NEWS },
    toPoll: TIMED_OUT,
    expected: [
      /^warning service: seems to answer \(401 CLAIMS\w+\), without the rvt-ray-id.* → let proxies keep it; .*gate/,
    ],
    code: 0,
  },
  'answers to a token have lost their ray id': {
    plain: OWN_REFUSAL,
    withToken: { status: 200, text: NO_NEWS },
    toPoll: { status: 200, text: NO_NEWS },
    expected: [
      /^warning headers: the answer to a token has no rvt-ray-id, and others have.* → let proxies keep it/,
      /^problem poll: polls are answered at once/,
    ],
    code: 1,
  },
  'a proxy written with Fastify ends polls of a service without ray ids': {
    plain: { status: 401, text: REFUSED },
    withToken: { status: 200, text: NO_NEWS },
    toPoll: { status: 504, text: FASTIFY },
    expected: [
      /^warning service: seems to answer/,
      /^problem poll: a proxy, or the service, ended it after \d\.\d s \(504\) → let every proxy wait for 75 s/,
    ],
    code: 1,
  },
  'the same, and the service has ray ids': {
    plain: OWN_REFUSAL,
    withToken: OWN_NEWS,
    toPoll: { status: 504, text: FASTIFY },
    expected: [/^problem poll: a proxy ended it after \d\.\d s \(504\) → let every proxy wait for 75 s/],
    code: 1,
  },
};

describe('the verdict of lobby-rx doctor', () => {
  let situation: Situation;
  let server: Server;
  before(async () => {
    server = createServer(({ url, headers }, response) => {
      const { plain, withToken = plain, toPoll = withToken } = situation;
      const tokened = url!.includes('watch_index=') ? toPoll : withToken;
      const answer = headers.authorization === undefined ? plain : tokened;
      response.writeHead(answer.status, answer.headers).end(answer.text);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  for (const [title, one] of Object.entries(SITUATIONS))
    it(`is true, and says what to do: ${title}`, async () => {
      situation = one;
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { code, out, err } = await called(['doctor', '--url', url], { LOBBY_RX_TOKEN: 'the-token' });
      const findings = out
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as { level: string; check: string; text: string; advice?: string })
        .filter(({ level }) => level !== 'ok')
        .map(({ level, check, text, advice }) => `${level} ${check}: ${text} → ${advice}`);
      strictEqual(findings.length, one.expected.length, findings.join('\n'));
      for (const [i, finding] of findings.entries()) match(finding, one.expected[i]!);
      deepStrictEqual([code, err], [one.code, '']);
      ok(!out.includes('the-token'));
    });
});
