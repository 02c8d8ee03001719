// A fresh process that opens watches of one kind, and says on command what they cost it.
import { createClient, fromFetch } from 'lobby-rx';
import { fromHttp } from 'lobby-rx/node';
import { followByHand, followByHttp } from './hand-written.js';
import { heap } from './measure.js';
import type { WatcherCommand, WatcherReply, WatchKind } from './watch-cost.js';
import { followOfficially, officialClient } from './peers.js';

const [, , kind, url = ''] = process.argv;
const token = 't';
let received = 0;
const watches: unknown[] = [];

const onEvents = (events: readonly unknown[]) => {
  received += events.length;
};
/** Each kind loads and creates only what it shares. */
const openers: Record<WatchKind, () => () => unknown> = {
  byHand: () => () => followByHand(url, onEvents),
  byHttp: () => () => followByHttp(url, onEvents),
  batches: () => {
    const client = createClient({ url, token, watch: { quota: Infinity } });
    return () => client.events.batches().subscribe(({ events }) => onEvents(events));
  },
  overHttp: () => {
    const client = createClient({ url, token, transport: fromHttp(), watch: { quota: Infinity } });
    return () => client.events.batches().subscribe(({ events }) => onEvents(events));
  },
  clients: () => {
    const transport = fromFetch();
    return () =>
      createClient({ url, token, transport }).events.feed.all$.subscribe(event => onEvents([event]));
  },
  clientsOfTheirOwn: () => () =>
    createClient({ url, token }).events.feed.all$.subscribe(event => onEvents([event])),
  official: () => {
    const client = officialClient(url);
    return () => followOfficially(client, onEvents);
  },
};
const open = openers[kind as WatchKind]();

process.on('message', (command: WatcherCommand) => {
  if ('open' in command) {
    for (let i = 0; i < command.open; i++) watches.push(open());
  }
  const { user, system } = process.cpuUsage();
  const memory =
    'memory' in command ? { heap: heap(), rss: process.memoryUsage().rss / 2 ** 20 } : { heap: 0, rss: 0 };
  const reply: WatcherReply = { cpu: user + system, received, ...memory };
  process.send?.(reply);
});
process.on('disconnect', () => process.exit());
