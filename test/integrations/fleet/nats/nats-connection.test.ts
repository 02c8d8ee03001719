import { match, strictEqual } from 'node:assert';
import { mock } from 'node:test';
import { asyncScheduler } from 'rxjs';
import { fleetBatches, fleetFeed, runFleet } from 'lobby-rx/fleet';
import { pinged } from '../../../../src/integrations/fleet/nats/nats-connection.js';
import { virtualTime } from '../../../virtual-time.js';

const never = new Promise<never>(() => undefined);

describe('a connection to NATS', () => {
  /** How often a connection is made again whose server gives these answers. */
  async function reconnects(...answers: readonly (Promise<number> | undefined)[]): Promise<number> {
    const { scheduler, pass } = virtualTime();
    const left = [...answers];
    let count = 0;
    const nats = {
      rtt: () => left.shift() ?? never,
      reconnect: () => {
        count++;
        return Promise.reject(new Error('closed'));
      },
    };
    const pinging = pinged(nats, scheduler).subscribe();
    while (left.length > 0) {
      pass(10_000);
      await new Promise(resolve => setImmediate(resolve));
    }
    pass(10_000);
    pinging.unsubscribe();
    pass(60_000);
    return count;
  }

  it('is made again after two questions in a row that were not answered in time', async () => {
    const answer = Promise.resolve(1);
    const silence = never;
    const lost = Promise.reject(new Error('disconnected'));
    strictEqual(await reconnects(silence, answer, silence, lost, silence, answer), 0);
    strictEqual(await reconnects(answer, silence, silence), 1);
    strictEqual(await reconnects(silence, silence, silence, answer), 1);
    strictEqual(await reconnects(silence, silence, silence, silence), 2);
  });

  it('that is not there after ten seconds says so to a worker, a consumer and a feed', () => {
    const { scheduler, pass } = virtualTime();
    const { mock: real } = mock.method(asyncScheduler, 'schedule', scheduler.schedule.bind(scheduler));
    try {
      const nats = never;
      const errors: unknown[] = [];
      const client = () => ({ url: 'http://127.0.0.1:9', token: 't' });
      const feed = fleetFeed({ nats, identity_id: 'a' });
      const running = [
        runFleet({ nats, identities$: [['a']], client }).subscribe(event => {
          if (event.kind === 'nats_error') errors.push(event.error);
        }),
        fleetBatches({
          nats,
          log: entry => {
            if (entry.kind === 'retrying') errors.push(entry.error);
          },
        }).subscribe(),
        feed.all$.subscribe(),
        feed.status$.subscribe(({ state, error }) => {
          if (state === 'retrying') errors.push(error);
        }),
      ];
      pass(9_999);
      strictEqual(errors.length, 0);
      pass(60_000);
      strictEqual(errors.length, 3);
      for (const error of errors) match(String(error), /has not connected for 10 s/);
      for (const subscription of running) subscription.unsubscribe();
    } finally {
      real.restore();
    }
  });
});
