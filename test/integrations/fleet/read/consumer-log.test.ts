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
  it('is how far behind it is, every 10 s, unless NATS does not tell', async () => {
    const { scheduler, pass } = virtualTime();
    const told: FleetConsumerLogEntry[] = [];
    const log = new ConsumerLog(entry => told.push(entry), scheduler);
    const telling = log.of({ nats: connection() }).subscribe();
    const next = async () => {
      pass(10_000);
      await new Promise(resolve => setImmediate(resolve));
    };
    await next();
    log.delivering(() => Promise.resolve(7));
    log.reading({ at: scheduler.now() - 3_000 });
    await next();
    log.handled();
    await next();
    log.reading({ at: scheduler.now() + 10_500 });
    await next();
    log.delivering(() => Promise.reject(new Error('timeout')));
    await next();
    log.delivering(undefined);
    await next();
    telling.unsubscribe();
    await next();
    const lags = [
      [undefined, undefined],
      [8, 13_000],
      [7, 0],
      [8, 0],
      [undefined, undefined],
      [undefined, undefined],
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
