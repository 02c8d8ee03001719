// A service that puts all events of the fleet into a database, each exactly once: the events of a
// batch and its position are one transaction, and after a restart it continues from the position in
// the database.
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
  // One that was killed has left its lock behind, and there is only one consumer.
  rmSync(`${database}.lock`, { recursive: true, force: true });
  const db = new sqlite.Database(database);
  db.exec(`
    create table if not exists event (position integer, identity_id text, kind text, number integer);
    create table if not exists place (position integer, gaps integer);
    insert into place select 0, 0 where not exists (select * from place);
  `);
  const { position: from } = db.get('select position from place') as { position: number };
  const nats = await connect({ servers: `127.0.0.1:${port}`, maxReconnectAttempts: -1 });

  const consuming = fleetBatches({
    nats,
    durable: 'database',
    from,
    ack: ({ identity_id, events, gap, position }) => {
      db.exec('begin');
      // Another process may have stored it; after a gap, positions may have gone back.
      const { changes } = gap
        ? db.run('update place set position = ?, gaps = gaps + 1 where position <> ?', [position, position])
        : db.run('update place set position = ? where position < ?', [position, position]);
      for (const event of changes === 0 ? [] : events) {
        const { number } = (event as unknown as { readonly payload: { readonly number: number } }).payload;
        db.run('insert into event values (?, ?, ?, ?)', [position, identity_id, event.kind, number]);
      }
      db.exec('commit');
    },
  }).subscribe({
    next: consumerMetrics('database'),
    error: (error: unknown) => {
      // There is no fleet yet.
      console.error(String(error));
      process.exit(1);
    },
  });

  const tell = () => {
    const counts = db.get(
      'select count(*) stored, count(distinct number) "distinct", (select gaps from place) gaps from event',
    ) as unknown as Counts;
    process.send?.({ kind: 'counts', counts } satisfies Report, () => undefined);
  };
  setInterval(tell, 250);
  process.on('SIGTERM', () => {
    consuming.unsubscribe();
    tell();
    db.close();
    process.exit();
  });
}
