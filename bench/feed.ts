import { of } from 'rxjs';
import { createClient, type Transport } from 'lobby-rx';
import { virtualTime } from '../test/virtual-time.js';
import { interleaved } from './measure.js';
import type { Report } from './report.js';

const BATCH = 100;
const BATCHES = 20;
const ROUNDS = 15;

/** What an event costs if a feed has many subscribers. In virtual time, without a network. */
export async function benchFeed(report: Report): Promise<void> {
  const sizes = [1, 10, 100, 1_000] as const;
  const tasks = sizes.map(size => [size, () => timePerEvent(size)] as const);
  const rounds = await interleaved(
    Object.fromEntries(tasks) as Record<`${(typeof sizes)[number]}`, () => number>,
    {
      rounds: ROUNDS,
      warmUp: 3,
    },
  );
  report.heading(
    'A feed with many subscribers: time per event and subscriber, with the poll and the decoding',
  );
  for (const size of sizes) {
    const name = `${size}` as const;
    const figure = {
      name: `${size.toLocaleString('en')} subscribers`,
      value: rounds.median(name),
      unit: 'ns',
    };
    report.add(
      size === 1_000
        ? { ...figure, name: `${figure.name}; × is beside 10`, ratio: rounds.ratio('1000', '10'), bound: 1.5 }
        : figure,
    );
  }
}

/** Events that cost little to decode, so that what they cost each subscriber shows. */
function smallEvents(count: number, index: number): string {
  const events = Array.from({ length: count }, (_, i) => ({ kind: { tick: i }, ts: `${index} ${i}` }));
  return JSON.stringify({ events, watch: { index: `${index}` } });
}

function timePerEvent(subscribers: number): number {
  let polls = 0;
  const texts = Array.from({ length: BATCHES + 1 }, (_, i) => smallEvents(i === 0 ? 0 : BATCH, i + 1));
  const transport: Transport = () =>
    of({ status: 200, headers: { get: () => null }, text: texts[Math.min(polls++, BATCHES)]! });
  const { scheduler, pass } = virtualTime();
  const client = createClient({
    url: 'https://service.example',
    token: 't',
    transport,
    scheduler,
    watch: { linger: 0, quota: Infinity },
  });
  let received = 0;
  for (let i = 0; i < subscribers; i++) client.events.feed.all$.subscribe(() => received++);
  const start = process.hrtime.bigint();
  while (polls <= BATCHES) pass(1_000);
  const time = Number(process.hrtime.bigint() - start);
  if (received < BATCHES * BATCH * subscribers) throw new Error(`${received} events came`);
  return time / received;
}
