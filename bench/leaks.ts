import { createClient } from 'lobby-rx';
import { createEmulator, listen } from 'lobby-rx/emulator';
import { heap } from './heap.js';
import type { Report } from './report.js';

const SUBSCRIPTIONS = 10_000;
const ERRORS = 1_000;

const turn = () => new Promise(resolve => setImmediate(resolve));
const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;

/** Watches begun and given up, and requests that fail, over HTTP: what is left of them. */
export async function benchLeaks(report: Report): Promise<void> {
  const emulator = createEmulator();
  const { token } = emulator.addIdentity();
  const server = await listen(emulator);
  const client = createClient({ ...server.urls, token, linger: 0 });

  const comeAndGo = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const watching = client.events.batches().subscribe();
      // Some are given up before the request is out, some while it is, some while the second poll hangs.
      for (let turns = i % 4; turns > 0; turns--) await turn();
      watching.unsubscribe();
    }
    for (let i = 0; i < 100; i++) await turn();
  };
  const fail = async (count: number) => {
    for (let i = 0; i < count; i++) {
      emulator.fault({ kind: i % 2 ? 'reset_before_headers' : 'html' });
      await new Promise<void>(resolve => {
        client.events.watch().subscribe({ error: () => resolve(), complete: () => resolve() });
      });
    }
  };

  // Code gets compiled and buffers grow in the first thousands; a leak goes on after that.
  await comeAndGo(SUBSCRIPTIONS);
  await fail(ERRORS);
  // What the emulator itself remembers of requests is full now, and grows no further.
  const url = '/api/identity/events/live?watch_index=1763640000001';
  const headers = { authorization: `Bearer ${token}` };
  for (let i = 0; i < 10_500; i++) emulator.handle({ method: 'GET', url, headers }).subscribe().unsubscribe();
  const timersBefore = timers();
  // The least of three: a leak is in each of them, and what else the process does with its heap is not.
  let grown = Infinity;
  for (let round = 0; round < 3; round++) {
    const before = heap();
    await comeAndGo(SUBSCRIPTIONS);
    await fail(ERRORS);
    grown = Math.min(grown, heap() - before);
  }

  report.heading(
    `${SUBSCRIPTIONS.toLocaleString('en')} watches begun and given up, ${ERRORS.toLocaleString('en')} requests that fail`,
  );
  report.row('heap grown', grown, 'MB', 2);
  report.row('timers left', timers() - timersBefore, '', 0);
  report.row('requests pending', emulator.requests.filter(({ pending }) => pending).length, '', 0);
  await server.close();
  for (let i = 0; i < 100 && socketsLeft() > 0; i++) await new Promise(resolve => setTimeout(resolve, 10));
  report.row('sockets left', socketsLeft(), '', 0);
}

function socketsLeft(): number {
  return process.getActiveResourcesInfo().filter(name => /TCPSocket|TCPServer/.test(name)).length;
}
