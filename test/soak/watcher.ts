// The watcher process: one client, and a watch of live events for each identity.
import { createClient, type Checkpoint, type Gap, type IdentityEventList, type Client } from 'lobby-rx';
import { Subscription } from 'rxjs';
import { Deliveries } from './deliveries.js';
import type { ToWatcher, WatcherReport } from './messages.js';

const deliveries = new Deliveries();
const watches = new Subscription();
let client: Client | undefined;
let [opened, ready, ended] = [0, 0, 0];

process.on('disconnect', () => process.exit());
process.on('message', (message: ToWatcher) => {
  if (message.kind === 'open') {
    client ??= createClient({ url: message.url, token: message.tokens[0]! });
    for (const token of message.tokens) watches.add(follow(client, token, opened++));
  }
  if (message.kind === 'stop') watches.unsubscribe();
  const report: WatcherReport = { kind: 'report', ready, ended, ...deliveries.report(opened) };
  process.send?.(report);
});

function follow(shared: Client, token: string, watch: number): Subscription {
  let isReady = false;
  const ack = ({ events }: IdentityEventList, _: Checkpoint, gap?: Gap) => {
    if (!isReady) ready++;
    isReady = true;
    const numbered = events.flatMap(event =>
      event.kind === 'unknown' ? [{ n: Number(event.payload), at: Date.parse(event.ts) }] : [],
    );
    deliveries.add(watch, numbered, gap !== undefined);
  };
  const error = (reason: unknown) => {
    ended++;
    console.error(`a watch has ended: ${String(reason)}`);
  };
  return shared.as(token).events.batches({ ack }).subscribe({ error });
}
