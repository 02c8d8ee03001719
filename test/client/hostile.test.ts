import { ok, strictEqual } from 'node:assert';
import { inspect } from 'node:util';
import {
  assert as check,
  array,
  constantFrom,
  double,
  integer,
  json,
  jsonValue,
  nat,
  oneof,
  property,
  record,
  string,
  tuple,
} from 'fast-check';
import { lastValueFrom, of, throwError, type Observable } from 'rxjs';
import {
  createClient,
  isClientError,
  type Client,
  type LogEntry,
  type Token,
  type Transport,
  type TransportResponse,
} from 'lobby-rx';
import { anyText } from '../any-text.js';
import { rawServer } from '../raw-server.js';
import { handle, lobbyJoin, notification, profile } from '../payload.js';
import { runs } from '../runs.js';

const url = 'https://service.example';
const urls = { groupUrl: url, matchmakerUrl: url, apiUrl: url };
const TOKEN = 'bearer.s3cret-t0ken';

const recorded = {
  events: JSON.stringify({
    events: [
      { kind: { identity_update: { identity: profile } }, ts: '2026-01-01T00:00:00Z', notification },
      { kind: { matchmaker_lobby_join: lobbyJoin }, ts: '2026-01-01T00:00:01Z' },
    ],
    watch: { index: '17' },
  }),
  members: JSON.stringify({ members: [{ identity: handle }], anchor: '7', watch: { index: '17' } }),
  nothing: '{}',
};

const asks: readonly ((client: Client) => Observable<unknown>)[] = [
  ({ events }) => events.watch(),
  ({ group }) => group.getMembers({ group_id: 'g' }),
  ({ matchmaker }) => matchmaker.players.connected({ player_token: 'player.s3cret' }),
];

/** The outcome of one answer, which must be a value or a client error, synchronously. */
function outcomeOf(text: string, ask: number, status = 200): unknown {
  const transport: Transport = () => of({ status, headers: { get: () => null }, text });
  let outcome: unknown;
  let settled = 0;
  asks[ask % asks.length]!(createClient({ ...urls, token: TOKEN, transport })).subscribe({
    next: value => {
      outcome = value;
    },
    error: (error: unknown) => {
      settled++;
      outcome = error;
    },
    complete: () => settled++,
  });
  strictEqual(settled, 1);
  if (outcome instanceof Error) {
    ok(isClientError(outcome), String(outcome));
    ok(outcome.message.length <= 300 + 100, outcome.message);
  }
  return outcome;
}

const nasty = oneof(
  jsonValue(),
  constantFrom(
    '\ud800',
    '__proto__',
    'x'.repeat(3_000),
    '',
    ' ',
    '\u0000',
    '9'.repeat(400),
    1e308,
    -0,
    2 ** 53,
    0.1,
    null,
    true,
    [],
    {},
  ),
  double(),
  anyText(),
);

/** A change to a recorded answer: where, and what. */
const change = record({
  path: array(nat(30), { maxLength: 9 }),
  how: constantFrom('replace', 'remove', 'add', 'proto', 'wrap'),
  value: nasty,
});

function changed(
  text: string,
  { path, how, value }: { path: number[]; how: string; value: unknown },
): string {
  const root = { root: JSON.parse(text) as unknown };
  let holder: Record<string, unknown> = root;
  let key = 'root';
  for (const step of path) {
    const next = holder[key];
    if (typeof next !== 'object' || next === null || Object.keys(next).length === 0) break;
    holder = next as Record<string, unknown>;
    const keys = Object.keys(holder);
    key = keys[step % keys.length]!;
  }
  if (how === 'remove') Reflect.deleteProperty(holder, key);
  else if (how === 'wrap') holder[key] = [holder[key]];
  else if (how === 'replace') holder[key] = value;
  else {
    const name = how === 'proto' ? '__proto__' : JSON.stringify(value);
    if (typeof holder[key] === 'object' && holder[key] !== null) {
      Object.defineProperty(holder[key], name, { value, enumerable: true, configurable: true });
    }
  }
  return root.root === undefined ? '' : JSON.stringify(root.root);
}

const answer = constantFrom(...Object.values(recorded));
/** A number of runs, for the title of a test. */
const formatRuns = (full: number) => runs(full).toLocaleString('en');
const isClean = () => {
  strictEqual(({} as { index?: unknown }).index, undefined);
  strictEqual(Object.keys(Object.prototype).length, 0);
};

describe('hostile input', function () {
  this.timeout(120_000);

  it(`never escapes the error channel, in ${formatRuns(80_000)} answers changed in one place`, () => {
    check(
      property(answer, change, nat(2), (text, one, ask) => void outcomeOf(changed(text, one), ask)),
      { numRuns: runs(80_000) },
    );
    isClean();
  });

  it(`never escapes the error channel, in ${formatRuns(20_000)} answers of broken or arbitrary text`, () => {
    const cut = tuple(answer, nat(4_000), anyText({ maxLength: 5 })).map(
      ([text, at, insert]) => text.slice(0, at % text.length) + insert,
    );
    const spliced = tuple(answer, nat(4_000), nat(9), string({ maxLength: 5 })).map(
      ([text, at, length, insert]) =>
        text.slice(0, at % text.length) + insert + text.slice((at % text.length) + length),
    );
    const status = oneof(
      constantFrom(200, 204, 304, 400, 401, 404, 429, 500, 504),
      integer({ min: 200, max: 599 }),
    );
    check(
      property(
        oneof(cut, spliced, json(), string()),
        nat(2),
        status,
        (text, ask, code) => void outcomeOf(text, ask, code),
      ),
      { numRuns: runs(20_000) },
    );
    isClean();
  });

  it('is handled even if it is very deep, long or large', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    const nested = '{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000);
    const long = JSON.stringify('x'.repeat(8 * 2 ** 20));
    const wide = `{${Array.from({ length: 50_000 }, (_, i) => `"k${i}":${i}`).join()}}`;
    for (const value of [
      deep,
      nested,
      long,
      wide,
      '1e999',
      '-1e999',
      '{"__proto__":{"index":"1"},"constructor":{}}',
    ]) {
      for (const [ask, text] of Object.values(recorded).entries()) {
        const places = ['"17"', '"Analyst.', '"7"', '"player.'].filter(place => text.includes(place));
        for (const place of places) outcomeOf(text.replace(place, `${value},"x":${place}`), ask);
        for (const status of [200, 500]) outcomeOf(value, ask, status);
      }
    }
    isClean();
  });

  it('is decoded as far as possible if it is not UTF-8', async () => {
    const body = Buffer.concat([
      Buffer.from('{"members":[],"watch":{"index":"1'),
      Buffer.from([0xc3, 0x28, 0xff]),
      Buffer.from('"}}'),
    ]);
    const server = await rawServer(socket => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nContent-Type: image/png\r\n\r\n`);
      socket.write(body);
    });
    const client = createClient({
      groupUrl: server.url,
      matchmakerUrl: server.url,
      apiUrl: server.url,
      token: TOKEN,
    });
    const { watch } = await lastValueFrom(client.group.getMembers({ group_id: 'g' }));
    strictEqual(watch.index, '1\ufffd(\ufffd');
    await server.close();
  });
});

describe('a token', () => {
  const text = string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 60 }).filter(token =>
    /^[\x21-\x7e]+$/.test(token),
  );
  /** A token with a mark that appears in nothing else. */
  const marked = text.map(token => `${token}<M4RK>${token}`);
  const status = constantFrom(200, 201, 302, 304, 400, 401, 403, 404, 429, 500, 502, 504);

  it('is in no error and no log entry, whatever it is and whatever fails', () => {
    check(
      property(marked, marked, status, nat(5), nat(2), (token, player_token, code, way, ask) => {
        const entries: LogEntry[] = [];
        const quoted = [token, player_token].join(' ');
        const bodies = [
          JSON.stringify({
            code: quoted,
            message: quoted,
            metadata: { [token]: [player_token] },
            ray_id: quoted,
          }),
          `<html>${quoted}`,
          JSON.stringify(quoted),
          JSON.stringify({
            events: [],
            members: [{ identity: { [token]: token } }],
            watch: { index: { [player_token]: 1 } },
          }),
        ];
        const response: TransportResponse = {
          status: code,
          headers: { get: () => quoted },
          text: bodies[way % 4]!,
        };
        const transport: Transport = ({ headers: { authorization }, body }) =>
          way === 4 ? throwError(() => new Error(`${authorization} ${body} ${quoted}`)) : of(response);
        const renew = () => {
          if (way === 5) throw new Error(quoted);
          return token;
        };
        const provider: Token = { get: () => token, renew };
        const client = createClient({
          ...urls,
          token: provider,
          transport,
          log: entry => entries.push(entry),
        });
        const shown: unknown[] = [];
        const requests = [
          client.events.watch(),
          client.group.getMembers({ group_id: 'g' }),
          client.matchmaker.players.connected({ player_token }),
        ];
        // Only what a request carries can be known to be a secret, so each is looked for only where
        // it was sent.
        const carries = ask === 2 ? [token, player_token] : [token];
        (requests[ask] as Observable<unknown>).subscribe({ error: (error: unknown) => shown.push(error) });
        const texts = [...shown, ...entries].flatMap(thing => [
          inspect(thing, { depth: 9, showHidden: true }),
          JSON.stringify(thing),
          thing instanceof Error ? `${thing.message} ${thing.stack}` : '',
        ]);
        ok(entries.length > 0, 'nothing was logged');
        for (const secret of carries) {
          for (const text of texts) ok(!text.includes(secret), `${secret} in ${text}`);
        }
      }),
      { numRuns: runs(1_500) },
    );
  });
});
