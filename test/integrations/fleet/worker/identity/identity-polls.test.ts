import { deepStrictEqual, ok } from 'node:assert';
import { NEVER, of, throwError } from 'rxjs';
import type { FleetEvent } from 'lobby-rx/fleet';
import { IdentityPolls } from '../../../../../src/integrations/fleet/worker/identity/identity-polls.js';
import type { IdentityEvent } from '../../../../../src/integrations/fleet/worker/identity/identity-status.js';
import type { Transport } from '../../../../../src/transport/index.js';
import { virtualTime } from '../../../../virtual-time.js';
import { virtualFleet } from '../../virtual-fleet.js';

describe('the polls of a worker', () => {
  it('say once if some have not begun for 200 s', () => {
    const { scheduler, pass } = virtualTime();
    const events: FleetEvent[] = [];
    const polls = new IdentityPolls({
      client: () => ({ url: 'http://127.0.0.1:9', token: 't' }),
      addresses: [{ name: undefined, transports: [() => NEVER] }],
      requestsPerMinute: 1_000,
      newKey: () => '',
      random: () => 0.5,
      // NATS keeps silent.
      log: { lost$: NEVER, head: () => NEVER, append: () => NEVER },
      emit: event => events.push(event),
      scheduler,
      monotonic: scheduler,
    });
    const checkpoints = { of: () => undefined };
    for (let i = 0; i < 300; i++) polls.watch(`${i}`, checkpoints).subscribe();
    for (let at = 0; at < 199; at++) {
      pass(1_000);
      polls.check();
    }
    deepStrictEqual(events, []);
    pass(2_000);
    polls.check();
    polls.check();
    deepStrictEqual(events, [{ kind: 'overloaded', by: 'time', identities: 44 }]);
  });

  it('are sent by the transport of a client, if that has one', () => {
    const { scheduler, pass } = virtualTime();
    const urls: string[] = [];
    const transport: Transport = ({ url }) => {
      urls.push(url);
      return NEVER;
    };
    const unused = () => throwError(() => new Error('this one is not used'));
    const polls = new IdentityPolls({
      client: () => ({ url: 'http://127.0.0.1:9', token: 't', transport }),
      addresses: [{ name: undefined, transports: [unused] }],
      requestsPerMinute: 1_000,
      newKey: () => '',
      random: () => 0.5,
      log: { lost$: NEVER, head: () => of({ last: 0, record: undefined }), append: () => NEVER },
      emit: () => undefined,
      scheduler,
      monotonic: scheduler,
    });
    const kinds: string[] = [];
    polls.watch('a', { of: () => undefined }).subscribe(({ kind }) => kinds.push(kind));
    pass(1_000);
    deepStrictEqual([kinds, urls.length], [['status', 'polled'], 1]);
  });

  it('begin again a minute after the client of an identity could not be made', () => {
    const { scheduler, pass } = virtualTime();
    let attempts = 0;
    const polls = new IdentityPolls({
      client: () => {
        attempts++;
        throw new Error('no such identity');
      },
      addresses: [{ name: undefined, transports: [() => NEVER] }],
      requestsPerMinute: 1_000,
      newKey: () => '',
      random: () => 0.5,
      log: { lost$: NEVER, head: () => NEVER, append: () => NEVER },
      emit: () => undefined,
      scheduler,
      monotonic: scheduler,
    });
    const events: IdentityEvent[] = [];
    polls.watch('a', { of: () => undefined }).subscribe(event => events.push(event));
    pass(59_000);
    const rejected = { kind: 'rejected', error: new Error('no such identity'), retryIn: 60_000 };
    deepStrictEqual([events, attempts], [[rejected], 1]);
    pass(2_000);
    deepStrictEqual([events, attempts], [[rejected, rejected], 2]);
  });

  it('share the rate of an address with the workers that name it, and have it alone when those have gone', () => {
    const { start, pass, emulator } = virtualFleet({ identities: 60, requestsPerMinute: 60 });
    const counted = (minutes: number) => {
      const before = emulator.requests.length;
      pass(minutes * 60_000);
      return (emulator.requests.length - before) / minutes;
    };
    start('a', { address: 'nat-1' });
    const b = start('b', { address: 'nat-1' });
    counted(3);
    const both = counted(5);
    ok(both > 55 && both <= 60, `${both} a minute from one address`);
    start('c', { address: 'nat-2' });
    counted(3);
    const withOther = counted(5);
    ok(withOther > 75 && withOther <= 120, `${withOther} a minute from two addresses`);
    b.running.unsubscribe();
    counted(3);
    const alone = counted(5);
    ok(alone > 75 && alone <= 120, `${alone} a minute from two addresses`);
  });
});
