import { deepStrictEqual } from 'node:assert';
import type { NatsConnection, Status } from '@nats-io/transport-node';
import {
  ConsumerLog,
  type FleetConsumerLogEntry,
} from '../../../../src/integrations/fleet/read/consumer-log.js';
import { virtualTime } from '../../../virtual-time.js';

/** A connection to which this happens. */
function connection(...statuses: readonly Status['type'][]): NatsConnection {
  async function* status() {
    for (const type of statuses) yield await Promise.resolve({ type } as Status);
  }
  return { status } as unknown as NatsConnection;
}

describe('what a consumer tells', () => {
  it('is how far behind it is, every 10 s', () => {
    const { scheduler, pass } = virtualTime();
    const told: FleetConsumerLogEntry[] = [];
    const log = new ConsumerLog(entry => told.push(entry), scheduler);
    const telling = log.of({ nats: connection() }).subscribe();
    pass(10_000);
    log.reading({ at: scheduler.now() - 3_000, lag: 7 });
    pass(10_000);
    log.handled();
    pass(10_000);
    log.reading({ at: scheduler.now() + 500, lag: 0 });
    log.handled();
    pass(10_000);
    telling.unsubscribe();
    pass(60_000);
    const lags = [
      [0, 0],
      [8, 13_000],
      [7, 0],
      [0, 0],
    ];
    deepStrictEqual(
      told,
      lags.map(([messages, age]) => ({ kind: 'lag', messages, age })),
    );
  });

  it('is when its connection is lost, and there again, and why it tries again; an error of its reader is swallowed', async () => {
    const told: FleetConsumerLogEntry[] = [];
    const log = new ConsumerLog(entry => {
      told.push(entry);
      throw new Error('broken');
    });
    const nats = connection('disconnect', 'reconnecting', 'reconnect', 'update');
    const telling = log.of({ nats }).subscribe();
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    log.retrying('why');
    telling.unsubscribe();
    deepStrictEqual(told, [
      { kind: 'disconnected' },
      { kind: 'connected' },
      { kind: 'retrying', error: 'why' },
    ]);
  });

  it('may go to an async function, whose rejection is swallowed', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listener);
    const reader: () => unknown = () => Promise.reject(new Error('broken'));
    const log = new ConsumerLog(reader);
    log.retrying('why');
    await new Promise(resolve => setImmediate(resolve));
    process.off('unhandledRejection', listener);
    deepStrictEqual(unhandled, []);
  });
});
