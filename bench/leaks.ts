import { lastValueFrom, of, take, VirtualTimeScheduler } from 'rxjs';
import { createClient, type Transport } from 'lobby-rx';
import { createEmulator, listen } from 'lobby-rx/emulator';
import { heap } from './measure.js';
import type { Report } from './report.js';

const SUBSCRIPTIONS = 10_000;
const ERRORS = 1_000;
const POLLS = 100_000;

const macrotask = () => new Promise(resolve => setImmediate(resolve));
const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;

/** What is left over after all that may leave something behind. */
export async function benchLeaks(report: Report): Promise<void> {
  await leftByPolls(report);
  await leftByWatches(report);
}

/** What is left over after watches that are unsubscribed from and requests that fail, over HTTP. */
async function leftByWatches(report: Report): Promise<void> {
  const emulator = createEmulator();
  const { token } = emulator.addIdentity();
  const server = await listen(emulator);
  const client = createClient({ ...server.urls, token, watch: { linger: 0, quota: Infinity } });

  const watchAndUnsubscribe = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const watching = client.events.batches().subscribe();
      // Unsubscribes before the request is sent, while it is pending, or during the second poll.
      for (let delays = i % 4; delays > 0; delays--) await macrotask();
      watching.unsubscribe();
    }
    for (let i = 0; i < 100; i++) await macrotask();
  };
  const failRequests = async (count: number) => {
    for (let i = 0; i < count; i++) {
      emulator.fault({ kind: i % 2 ? 'reset_before_headers' : 'html' });
      await new Promise<void>(resolve => {
        client.events.watch().subscribe({ error: () => resolve(), complete: () => resolve() });
      });
    }
  };

  // Warm-up: code is compiled and buffers grow during the first thousands. A leak continues after
  // that.
  await watchAndUnsubscribe(SUBSCRIPTIONS);
  await failRequests(ERRORS);
  // Fills the emulator's own list of requests, so that it does not grow any further.
  const url = '/api/identity/events/live?watch_index=1763640000001';
  const headers = { authorization: `Bearer ${token}` };
  for (let i = 0; i < 10_500; i++) emulator.handle({ method: 'GET', url, headers }).subscribe().unsubscribe();
  const timersBefore = timers();
  // The minimum of three rounds: a leak shows in each of them, other changes of the heap do not.
  let heapGrowth = Infinity;
  for (let round = 0; round < 3; round++) {
    const before = heap();
    await watchAndUnsubscribe(SUBSCRIPTIONS);
    await failRequests(ERRORS);
    heapGrowth = Math.min(heapGrowth, heap() - before);
  }

  report.heading(
    `${SUBSCRIPTIONS.toLocaleString('en')} unsubscribed watches, ${ERRORS.toLocaleString('en')} failed requests`,
  );
  report.row('heap growth', heapGrowth, 'MB', 2);
  report.row('timers left', timers() - timersBefore, '', 0);
  report.row('requests pending', emulator.requests.filter(({ pending }) => pending).length, '', 0);
  await server.close();
  for (let i = 0; i < 100 && socketsLeft() > 0; i++) await new Promise(resolve => setTimeout(resolve, 10));
  report.row('sockets left', socketsLeft(), '', 0);
}

function socketsLeft(): number {
  return process.getActiveResourcesInfo().filter(name => /TCPSocket|TCPServer/.test(name)).length;
}

/** The memory of a watch after many polls. In virtual time, so that it does not take long. */
async function leftByPolls(report: Report): Promise<void> {
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
    watch: { quota: Infinity },
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
