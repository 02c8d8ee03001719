#!/usr/bin/env bash
# @nats-io/jetstream 3.4.0 with a cluster of three nats-server 2.9.10 (Debian bookworm; 2.15.1 does
# the same): an ordered consumer, consumed with a heartbeat of 1 s over a connection to one server,
# is kept by another server, which is killed. The stream has three replicas, and stores on. Guess:
# after two missed heartbeats nats.js creates the consumer at a server that is alive. Seen: it
# reports `heartbeats_missed` again and again, delivers nothing, and ends with no error, for as long
# as that server is away. Exits 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
servers=()
end() {
  kill -9 "${servers[@]}" 2>/dev/null || true
  rm -rf "$folder"
}
trap end EXIT
cd "$folder"
apt-get download -qq nats-server=2.9.10-1+b3 2>/dev/null
dpkg -x nats-server_*.deb server
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @nats-io/jetstream@3.4.0 @nats-io/transport-node@3.4.0
ports=($(node -e "
const { createServer } = require('node:net');
const open = Array.from({ length: 6 }, () => createServer().listen(0, '127.0.0.1'));
setTimeout(() => { console.log(...open.map(server => server.address().port)); process.exit(); }, 100);
"))
routes="\"nats://127.0.0.1:${ports[3]}\", \"nats://127.0.0.1:${ports[4]}\", \"nats://127.0.0.1:${ports[5]}\""
for i in 0 1 2; do
  cat >"$i.conf" <<CONF
server_name: s$i
listen: "127.0.0.1:${ports[$i]}"
jetstream { store_dir: "$folder/store-$i" }
cluster { name: c, listen: "127.0.0.1:${ports[$((i + 3))]}", routes: [$routes] }
CONF
  server/usr/sbin/nats-server -c "$i.conf" >"$i.log" 2>&1 &
  servers+=($!)
done
disown -a
cat >consume.mjs <<'JS'
import { connect } from '@nats-io/transport-node';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
const pids = process.argv[2].split(',').map(Number);
const ports = process.argv[3].split(',').map(Number);
const wait = ms => new Promise(resolve => setTimeout(resolve, ms));
const to = i => connect({ servers: `127.0.0.1:${ports[i]}`, waitOnFirstConnect: true, maxReconnectAttempts: -1 });
const all = await Promise.all([0, 1, 2].map(to));
const jsm = await jetstreamManager(all[0], { checkAPI: false });
for (let tries = 0; ; tries++) {
  try {
    await jsm.streams.add({ name: 'S', subjects: ['s'], num_replicas: 3 });
    break;
  } catch (error) {
    if (tries > 60) throw error;
    await wait(500);
  }
}
// Over a connection to another server than the one that keeps the consumer.
let mine, consumer, holder;
for (let i = 0; ; i = (i + 1) % 3) {
  consumer = await jetstream(all[i]).consumers.get('S');
  holder = Number((await consumer.info()).cluster.leader.slice(1));
  mine = i;
  if (holder !== mine) break;
  await consumer.delete();
}
const third = [0, 1, 2].find(i => i !== mine && i !== holder);
const publish = () => jetstream(all[third]).publish('s', 'x', { timeout: 1_000 });
const messages = await consumer.consume({ idle_heartbeat: 1_000 });
let delivered = 0;
let missed = 0;
let ended = 'no';
(async () => {
  for await (const _ of messages) delivered++;
})().then(() => (ended = 'yes'), () => (ended = 'with an error'));
(async () => {
  for await (const { type } of messages.status()) if (type === 'heartbeats_missed') missed++;
})();
while (delivered === 0) await publish().then(() => wait(200), () => wait(200));
process.kill(pids[holder], 'SIGKILL');
const before = delivered;
let stored = 0;
for (const end = Date.now() + 40_000; Date.now() < end; await wait(500)) {
  await publish().then(() => stored++, () => undefined);
}
const seen = delivered - before;
console.log(`nats.js 3.4.0: ${stored} messages stored after the kill, ${seen} delivered in 40 s; heartbeats missed ${missed} times; ended: ${ended}`);
process.exit(stored > 20 && seen <= 1 && missed > 5 && ended === 'no' ? 0 : 1);
JS
timeout 110 node consume.mjs "$(IFS=,; echo "${servers[*]}")" "${ports[0]},${ports[1]},${ports[2]}"
