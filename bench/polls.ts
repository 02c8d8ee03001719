import { lastValueFrom, of, take, VirtualTimeScheduler } from 'rxjs';
import { createClient, type Transport } from 'lobby-rx';
import { heap } from './heap.js';
import type { Report } from './report.js';

const POLLS = 100_000;

/** The memory of a watch after many polls. In virtual time, so that it does not take long. */
export async function benchPolls(report: Report): Promise<void> {
  let polls = 0;
  const transport: Transport = () => {
    const event = { kind: { tick: ++polls }, ts: String(polls) };
    const text = JSON.stringify({ events: [event], watch: { index: String(polls) } });
    return of({ status: 200, headers: { get: () => null }, text });
  };
  const scheduler = new VirtualTimeScheduler();
  const url = 'https://service.example';
  const client = createClient({
    groupUrl: url,
    matchmakerUrl: url,
    apiUrl: url,
    token: 't',
    transport,
    scheduler,
  });

  const run = (batches: number): Promise<unknown> => {
    const last = lastValueFrom(client.events.batches().pipe(take(batches)));
    scheduler.maxFrames = Infinity;
    scheduler.flush();
    return last;
  };
  await run(1_000);
  const before = heap();
  const start = performance.now();
  await run(POLLS);
  const micros = ((performance.now() - start) * 1000) / POLLS;
  report.heading(`A watch after ${POLLS.toLocaleString('en')} polls`);
  report.row('heap growth', heap() - before, 'MB', 2);
  report.row('time per poll, without the network', micros, 'µs');
}
