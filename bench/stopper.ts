// A fresh process that holds many watches in memory, and says on command what it costs to stop some
// of them.
import { NEVER, Observable, of, type Subscription } from 'rxjs';
import { createClient, type Transport } from 'lobby-rx';
import type { StopperCommand, StopperReply } from './stops.js';

/** Polls without an answer so far. */
let held = 0;
const first$ = of({
  status: 200,
  headers: { get: () => null },
  text: JSON.stringify({ events: [], watch: { index: '1' } }),
});
const held$ = new Observable<never>(subscriber => {
  held++;
  subscriber.add(() => held--);
  return NEVER.subscribe(subscriber);
});
/** Answers the first poll, which has no index, and holds the next one. */
const transport: Transport = ({ url }) => (url.includes('watch_index=') ? held$ : first$);

// No poll may end by itself before all has been measured.
const client = createClient({
  url: 'https://service.example',
  token: 't',
  transport,
  watch: { timeout: 280_000, quota: Infinity },
});
const watches: Subscription[] = [];

process.on('message', (command: StopperCommand) => void obey(command));
process.on('disconnect', () => process.exit());

async function obey({ stop, open }: StopperCommand): Promise<void> {
  const stopping = sample(stop);
  // What is left of opening the last ones is not collected while these are stopped.
  global.gc?.({ type: 'minor' });
  const start = process.hrtime.bigint();
  for (const watch of stopping) watch.unsubscribe();
  const micros = Number(process.hrtime.bigint() - start) / 1_000;
  if (held !== watches.length) throw new Error(`${held} polls are held by ${watches.length} watches`);
  for (let i = 0; i < open; i++) watches.push(client.events.batches().subscribe());
  while (held < watches.length) await new Promise(resolve => setTimeout(resolve, 5));
  const reply: StopperReply = { micros };
  process.send?.(reply);
}

/**
 * Takes so many of the watches at random: in the order in which they were opened, the first one
 * found is the right one.
 */
function sample(count: number): Subscription[] {
  for (let i = 1; i <= count; i++) {
    const last = watches.length - i;
    const chosen = Math.floor(Math.random() * (last + 1));
    const watch = watches[chosen]!;
    watches[chosen] = watches[last]!;
    watches[last] = watch;
  }
  return watches.splice(watches.length - count);
}
