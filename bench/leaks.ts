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
  const client = createClient({ ...server, token, linger: 0 });

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

  await comeAndGo(500);
  await fail(100);
  // What the emulator itself remembers of requests is full now, and grows no further.
  for (let i = 0; i < 10_500; i++) emulator.handle({ method: 'OPTIONS', url: '/', headers: {} }).subscribe();
  const timersBefore = timers();
  const before = heap();
  await comeAndGo(SUBSCRIPTIONS);
  await fail(ERRORS);
  const grown = heap() - before;

  report.heading(
    `${SUBSCRIPTIONS.toLocaleString('en')} watches begun and given up, ${ERRORS.toLocaleString('en')} requests that fail`,
  );
  report.row('heap grown', grown, 'MB', 2);
  report.row('timers left', timers() - timersBefore, '', 0);
  report.row('requests pending', emulator.requests.filter(({ pending }) => pending).length, '', 0);
  await server.close();
  report.row(
    'sockets left',
    await new Promise<number>(resolve => setImmediate(() => resolve(socketsLeft()))),
    '',
    0,
  );
}

function socketsLeft(): number {
  return process.getActiveResourcesInfo().filter(name => /TCPSocket|TCPServer/.test(name)).length;
}
