// What a worker cannot do without: it appends messages to subjects, each if it still follows the
// one before it.
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { FollowerFigures, FromFollower, ToAppender } from './messages.js';

/** As large as an answer with one event. */
const DATA = Buffer.from(JSON.stringify({ events: [{ text: 'x'.repeat(250) }], watch: { index: '1' } }));

let events = 0;
const tell = (message: FromFollower) => process.send?.(message);

process.on('message', (message: ToAppender) => {
  if (message.kind === 'append') void append(message);
  else tell(figures());
});
process.on('disconnect', () => process.exit());

async function append({ nats: port, subjects, perSecond, time }: Extract<ToAppender, { kind: 'append' }>) {
  const nats = await connect({ servers: `127.0.0.1:${port}` });
  const js = jetstream(nats);
  const manager = await jetstreamManager(nats);
  await manager.streams.add({ name: 'BENCH', subjects: ['bench.*'] });
  const last = Array.from({ length: subjects }, () => Promise.resolve(0));
  const startedAt = Date.now();
  let count = 0;
  const appending = setInterval(() => {
    const passed = Math.min(time, Date.now() - startedAt);
    while (count < (perSecond * passed) / 1_000) {
      const i = count++ % subjects;
      last[i] = last[i]!.then(async lastSubjectSequence => {
        const { seq } = await js.publish(`bench.${i}`, DATA, { expect: { lastSubjectSequence } });
        events++;
        return seq;
      });
    }
    if (passed === time) clearInterval(appending);
  }, 1);
}

function figures(): FollowerFigures {
  const { user, system } = process.cpuUsage();
  return { kind: 'figures', events, cpu: user + system, heap: 0, messages: 0 };
}
