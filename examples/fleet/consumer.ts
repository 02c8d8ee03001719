// A service that stores all events of the fleet in a database, each exactly once. The events of a
// batch and its position are written in one transaction. After a restart, it continues after the
// last batch in the database. The position has its time, which shows whether NATS still has that
// batch.
import { rmSync } from 'node:fs';
import { connect } from '@nats-io/transport-node';
import sqlite from 'node-sqlite3-wasm';
import { fleetBatches, type FleetPosition } from 'lobby-rx/fleet';
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
    create table if not exists state (position integer, stored_at integer, gaps integer);
    insert into state select 0, 0, 0 where not exists (select * from state);
  `);
  const from = db.get('select position, stored_at storedAt from state') as unknown as FleetPosition;
  const nats = await connect({
    servers: `127.0.0.1:${port}`,
    maxReconnectAttempts: -1,
    pingInterval: 10_000,
    ignoreAuthErrorAbort: true,
  });

  const measure = consumerMetrics('database');
  const consuming = fleetBatches({
    nats,
    log: measure,
    durable: 'database',
    from,
    ack: ({ identity_id, events, gap, position, storedAt }) => {
      db.exec('begin');
      // Another process may have stored the batch already. Before a batch with a gap, positions may
      // have gone back.
      const values = [position, storedAt, position];
      const { changes } = gap
        ? db.run('update state set position = ?, stored_at = ?, gaps = gaps + 1 where position <> ?', values)
        : db.run('update state set position = ?, stored_at = ? where position < ?', values);
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
    next: measure,
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
