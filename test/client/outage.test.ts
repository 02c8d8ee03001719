import { deepStrictEqual, ok } from 'node:assert';
import { concatMap, NEVER, of, throwError, timer, type Observable } from 'rxjs';
import {
  createClient,
  TransportError,
  type ClientConfig,
  type Transport,
  type TransportResponse,
} from 'lobby-rx';
import { virtualTime } from '../virtual-time.js';

const response = (status: number, body: unknown): TransportResponse => ({
  status,
  text: typeof body === 'string' ? body : JSON.stringify(body),
  headers: { get: () => null },
});
const batch = (index: number, name: string) =>
  response(200, { events: [{ kind: { [name]: 1 }, ts: '1' }], watch: { index: `${index}` } });

type Outcome = Observable<TransportResponse>;

/** What becomes of a poll. `after` is a timer. */
type During = (after: (ms: number, outcome: Outcome) => Outcome) => Outcome;

/**
 * A feed of a service that has an event at once, and another one when the outage is over. `lines`
 * has each event, gap and change of state with its time in seconds, `asked` the time and the index
 * of each poll.
 */
function outage(during: During, length = 600, config: Partial<ClientConfig> = {}) {
  const { scheduler, pass } = virtualTime();
  const start = scheduler.now();
  const stamp = (text: string) => `${Math.round((scheduler.now() - start) / 1_000)} ${text}`;
  const asked: string[] = [];
  const transport: Transport = ({ url }) => {
    const index = new URL(url).searchParams.get('watch_index') ?? 'now';
    asked.push(stamp(index));
    if (asked.length === 1) return of(batch(1, 'first'));
    if (scheduler.now() - start < length * 1_000)
      return during((ms, outcome) => timer(ms, scheduler).pipe(concatMap(() => outcome)));
    return index === '2' ? NEVER : of(batch(2, 'second'));
  };
  const { feed } = createClient({
    url: 'https://a.example',
    token: 't',
    transport,
    scheduler,
    testing: { random: () => 0 },
    ...config,
  }).events;
  const lines: string[] = [];
  const hints: (string | undefined)[] = [];
  let last = '';
  feed.status$.subscribe(({ state, hint }) => {
    if (state !== last) lines.push(stamp(state));
    if (state !== last) hints.push(hint);
    last = state;
  });
  feed.gap$.subscribe(({ reason }) => lines.push(stamp(reason)));
  const watching = feed.unknown$.subscribe(({ name }) => lines.push(stamp(name)));
  pass((length + 60) * 1_000);
  watching.unsubscribe();
  // Before that it was idle, was connecting, and had its first event.
  return { lines: lines.slice(4), asked, hint: hints[3] };
}

/**
 * What becomes of each poll, the time and the state that follow, and the time of the next answer.
 */
const OUTAGES: readonly [what: string, during: During, state: string, answered: number][] = [
  [
    'a proxy answers 504 after 10 s',
    after => after(10_000, of(response(504, '<html>'))),
    '150 retrying',
    600,
  ],
  ['a cache answers 204 at once', () => of(response(204, '')), '0 retrying', 600],
  ['a server answers 304 after 50 s', after => after(50_000, of(response(304, ''))), '150 retrying', 600],
  ['nothing comes', () => NEVER, '210 retrying', 630],
  [
    'no connection can be made',
    () => throwError(() => new TransportError('unreachable', 'refused', { method: 'GET', url: '/' })),
    '0 offline',
    600,
  ],
  ['the service answers 503', () => of(response(503, { code: 'DOWN' })), '0 retrying', 600],
];

describe('polls that are ended after 30 s, as by a balancer', () => {
  for (const [how, outcome] of [
    ['a 503', of(response(503, '<html>'))],
    ['a 408', of(response(408, ''))],
    ['a 504', of(response(504, '<html>'))],
    ['a reset', throwError(() => new TransportError('lost', 'ECONNRESET', { method: 'GET', url: '/' }))],
  ] as const) {
    it(`are no failures if ${how} ends them: the feed stays live, and polls again at once`, () => {
      const { lines, asked } = outage(after => after(30_000, outcome), 115);
      deepStrictEqual(lines, ['120 second']);
      deepStrictEqual(
        asked.map(line => line.split(' ')[0]),
        ['0', '0', '30', '60', '90', '120', '120'],
      );
    });
  }
});

describe('ten minutes in which', () => {
  for (const [what, during, state, answered] of OUTAGES) {
    it(`${what} are one gap, before the next answer, and not live`, () => {
      const { lines, asked, hint } = outage(during);
      deepStrictEqual(lines, [state, ...['live', 'silence', 'second'].map(word => `${answered} ${word}`)]);
      ok(asked.length <= 660 + 4 + 2, `${asked.length} polls`);
      deepStrictEqual(hint?.includes('cut polls off') ?? false, !state.startsWith('0'));
    });

    it(`${what} are no gap if they last only four minutes`, () => {
      const { lines, asked } = outage(during, 240);
      deepStrictEqual(
        [lines.at(-1)!.split(' ')[1], lines.filter(line => line.includes('silence'))],
        ['second', []],
      );
      deepStrictEqual(
        asked.filter(line => line.endsWith('now')),
        ['0 now'],
      );
    });
  }

  it("the service's own timeouts end its polls are no gap, and live", () => {
    const timeout = response(500, { code: 'API_REQUEST_TIMEOUT' });
    deepStrictEqual(outage(after => after(50_000, of(timeout))).lines, ['600 second']);
  });

  it('the timeout is in seconds by mistake are shown by a hint', () => {
    const idle = response(200, { events: [], watch: { index: '1' } });
    const { lines, hint, asked } = outage(after => after(50_000, of(idle)), 600, { watch: { timeout: 70 } });
    deepStrictEqual([lines[0], hint?.includes('is the timeout too short')], ['150 retrying', true]);
    ok(asked.length <= 660 + 4 + 2, `${asked.length} polls`);
  });
});
