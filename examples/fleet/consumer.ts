// A service that stores all events of the fleet in a database, each exactly once. The events of a
// batch and its position are written in one transaction. After a restart, it continues from the
// position in the database.
import { rmSync } from 'node:fs';
import { connect } from '@nats-io/transport-node';
import sqlite from 'node-sqlite3-wasm';
import { fleetBatches } from 'lobby-rx/fleet';
import { consumerMetrics } from 'lobby-rx/opentelemetry';
import { showMetrics } from '../show-metrics.js';
import type { Counts, Report, Start } from './messages.js';

process.once('message', (start: Start) => void consume(start));
process.on('disconnect', () => process.exit());

async function consume({ nats: port, database, metrics }: Start): Promise<void> {
  if (metrics !== undefined) await showMetrics(metrics);
  // A consumer that was killed has left its lock behind. There is only one consumer, so the lock
  // can go.
  rmSync(`${database}.lock`, { recursive: true, force: true });
  const db = new sqlite.Database(database);
  db.exec(`
    create table if not exists event (position integer, identity_id text, kind text, number integer);
    create table if not exists state (position integer, gaps integer);
    insert into state select 0, 0 where not exists (select * from state);
  `);
  const { position: from } = db.get('select position from state') as { position: number };
  const nats = await connect({ servers: `127.0.0.1:${port}`, maxReconnectAttempts: -1 });

  const consuming = fleetBatches({
    nats,
    durable: 'database',
    from,
    ack: ({ identity_id, events, gap, position }) => {
      db.exec('begin');
      // Another process may have stored the batch already. Before a batch with a gap, positions may
      // have gone back.
      const { changes } = gap
        ? db.run('update state set position = ?, gaps = gaps + 1 where position <> ?', [position, position])
        : db.run('update state set position = ? where position < ?', [position, position]);
      if (changes > 0) {
        for (const event of events) {
          const { payload } = event as unknown as { readonly payload: { readonly number: number } };
          const row = [position, identity_id, event.kind, payload.number];
          db.run('insert into event values (?, ?, ?, ?)', row);
        }
      }
      db.exec('commit');
    },
  }).subscribe({
    next: consumerMetrics('database'),
    error: (error: unknown) => {
      // The fleet may not exist yet. The main process then starts this one again.
      console.error(String(error));
      process.exit(1);
    },
  });

  const report = () => {
    const counts = db.get(
      'select count(*) stored, count(distinct number) "distinct", (select gaps from state) gaps from event',
    ) as unknown as Counts;
    process.send?.({ kind: 'counts', counts } satisfies Report, () => undefined);
  };
  setInterval(report, 250);
  process.on('SIGTERM', () => {
    consuming.unsubscribe();
    report();
    db.close();
    process.exit();
  });
}
