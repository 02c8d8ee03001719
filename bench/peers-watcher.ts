// A process that follows many logs with one of the clients, and says on command what that takes:
// node peers-watcher.mjs PEER URL
import { heap } from './measure.js';
import { FOLLOWS, type Sink } from './peers-clients.js';
import type { FollowCommand, FollowerState } from './peers-cost.js';
import type { Peer } from './peers-protocol.js';

const [, , peer, url] = process.argv;
const follow = FOLLOWS[peer as Peer];
const token = { current: () => 't', renew: () => undefined };
let opened = 0;
/** How long each event took to come, in µs. */
let latencies: number[] = [];

const sink: Sink = {
  entries: entries => {
    const now = process.hrtime.bigint();
    for (const { at } of entries) latencies.push(Number(now - BigInt(at!)) / 1_000);
  },
  sign: what => fail(`said ${what}`),
  ended: why => fail(`ended: ${why}`),
};

function fail(why: string): void {
  console.error(`${peer} ${why}`);
  process.exit(1);
}

process.on('message', (command: FollowCommand) => {
  if (command.do === 'open') {
    for (let i = 0; i < command.count; i++) {
      follow(`${url}/${opened}`, sink, token);
      opened++;
    }
  }
  if (command.do === 'forget') latencies = [];
  const { user, system } = process.cpuUsage();
  const isWeighed = command.do === 'weigh';
  const reply: FollowerState = {
    cpu: user + system,
    received: latencies.length,
    heap: isWeighed ? heap() : NaN,
    rss: isWeighed ? process.memoryUsage().rss / 2 ** 20 : NaN,
    latencies: command.do === 'list' ? latencies : [],
  };
  process.send?.(reply);
});
process.on('disconnect', () => process.exit());
