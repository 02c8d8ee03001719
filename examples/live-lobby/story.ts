// npm run record: follows an identity through an outage, by a loop and by lobby-rx, and draws what
// has come of it.
import { setTimeout } from 'node:timers/promises';
import * as t from 'io-ts';
import { distinctUntilKeyChanged } from 'rxjs';
import { createClient } from 'lobby-rx';
import { createEmulator, listen } from 'lobby-rx/emulator';
import { drawPicture, type Mark } from '../picture.js';

/** When events happen, and when the service is away, in ms. */
const EVENTS = [600, 1_400, 2_200, 3_450, 4_450, 7_100, 7_900];
const AWAY = { from: 2_900, to: 5_500 };
const END_MS = 8_600;

/**
 * What has come of the events, by the number of each, and which requests have failed. All in ms.
 */
interface Lane {
  readonly received: Map<number, number>;
  readonly failed: number[];
}

const emulator = createEmulator({ collectTime: 20 });
const { identity_id, token } = emulator.addIdentity();
let service = await listen(emulator);
const { url, port } = service;
const start = performance.now();
const now = () => Math.round(performance.now() - start);

const loop: Lane = { received: new Map(), failed: [] };
const stream: Lane = { received: new Map(), failed: [] };

/** As it is written in a quarter of an hour; it does not even end at the first error. */
async function poll(): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  for (let index = ''; now() < END_MS;) {
    try {
      const query = index && `?watch_index=${index}`;
      const response = await fetch(`${url}/identity/events/live${query}`, { headers });
      const { events, watch } = (await response.json()) as {
        events: { kind: { numbered: { number: number } } }[];
        watch: { index: string };
      };
      for (const { kind } of events) loop.received.set(kind.numbered.number, now());
      index = watch.index;
    } catch {
      loop.failed.push(now());
      index = '';
      await setTimeout(1_000);
    }
  }
}

const { feed } = createClient({
  url,
  token,
  watch: { backoff: { initial: 400, max: 800 } },
  kinds: { numbered: t.type({ number: t.number }) },
}).events;
const following = feed.on('numbered').subscribe(({ payload }) => {
  stream.received.set(payload.number, now());
});
following.add(
  feed.status$.pipe(distinctUntilKeyChanged('attempt')).subscribe(({ attempt }) => {
    if (attempt > 0) stream.failed.push(now());
  }),
);
void poll();

async function publish(): Promise<void> {
  for (const [number, at] of EVENTS.entries()) {
    await setTimeout(at - now());
    emulator.publish(identity_id, { numbered: { number } });
  }
}
async function goAway(): Promise<void> {
  await setTimeout(AWAY.from - now());
  await service.close();
  await setTimeout(AWAY.to - now());
  service = await listen(emulator, { port });
}
await Promise.all([publish(), goAway(), setTimeout(END_MS)]);
following.unsubscribe();
await service.close();

const lost = EVENTS.filter((_, number) => !loop.received.has(number)).length;
const late = EVENTS.filter((at, number) => (stream.received.get(number) ?? at) > at + 500).length;
if (stream.received.size !== EVENTS.length || lost !== 2) throw new Error('this run tells another story');

/** The events that came and those that did not, and the requests that failed. */
const marksOf = ({ received, failed }: Lane): readonly Mark[] => [
  ...failed.filter(at => at < AWAY.to + 500).map(at => ({ at, kind: 'failed' }) as const),
  ...EVENTS.map((at, number): Mark => {
    const came = received.get(number);
    return came === undefined ? { at, kind: 'lost' } : { at: came, kind: 'event' };
  }),
];

drawPicture({
  name: 'story',
  summary: `A service goes away for a few seconds. A loop around fetch loses the ${lost} events of that time. lobby-rx tries again, with growing waits, and then has them all.`,
  lasts: END_MS,
  trouble: { ...AWAY, text: '1. The service goes away' },
  lanes: [
    {
      name: 'fetch loop',
      marks: marksOf(loop),
      notes: [{ text: `${lost} events are lost, and nothing says so`, tone: 'bad' }],
    },
    {
      name: 'lobby-rx',
      marks: marksOf(stream),
      notes: [
        { text: '2. It tries again', isMiddle: true },
        { text: '3. It goes on where it was:', tone: 'good' },
        { text: `${late} events come late, none is lost`, tone: 'good' },
      ],
    },
  ],
});
process.exit();
