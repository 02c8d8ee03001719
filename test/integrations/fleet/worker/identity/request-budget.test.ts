import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import type { FleetEvent } from 'lobby-rx/fleet';
import { RequestBudget } from '../../../../../src/integrations/fleet/worker/identity/request-budget.js';
import { virtualTime } from '../../../../virtual-time.js';
import { virtualFleet } from '../../virtual-fleet.js';

describe('the budget of requests', () => {
  it('keeps a worker below the limit of the service, and says that it is the bound', () => {
    const { start, pass, emulator } = virtualFleet({ identities: 30, requestsPerMinute: 30 });
    const worker = start('a');
    const at: number[] = [];
    let seen = 0;
    for (let i = 0; i < 90; i++) {
      pass(10_000);
      at.push(emulator.requests.length - seen);
      seen = emulator.requests.length;
    }
    // A burst of half a minute, then one every two seconds.
    ok(at[0]! <= 15 + 5);
    ok(
      at.slice(3).every(count => count <= 6),
      String(at),
    );
    ok(seen <= 15 * 30 + 15);
    const limited = worker.events.flatMap(event => (event.kind === 'rate_limited' ? [event] : []));
    deepStrictEqual(limited.map(({ by, wait }) => [by, wait > 0]).slice(0, 1), [['requestsPerMinute', true]]);
  });

  it('tells when there is enough again', () => {
    const { start, pass, identities$, ids } = virtualFleet({ identities: 60, requestsPerMinute: 60 });
    const worker = start('a');
    pass(20_000);
    identities$.next(new Set(ids.slice(0, 5)));
    pass(60_000);
    const limited = worker.events.flatMap(event => (event.kind === 'rate_limited' ? [event.wait > 0] : []));
    deepStrictEqual(limited, [true, false]);
  });

  it('says so from a wait of more than a second on', () => {
    const { scheduler } = virtualTime();
    const events: FleetEvent[] = [];
    // Two a second, sixty at once.
    const budget = new RequestBudget(120, scheduler, event => events.push(event));
    for (let i = 0; i < 61; i++) budget.take('all').subscribe();
    budget.check();
    deepStrictEqual([budget.waiting, events], [1, []]);
    budget.take('all').subscribe();
    budget.check();
    deepStrictEqual(events, [{ kind: 'rate_limited', by: 'requestsPerMinute', wait: 1_500, waiting: 2 }]);
  });

  it('pauses all polls if the service says that there are too many', () => {
    const { start, pass, emulator, publish, ids, numbersOf } = virtualFleet({ identities: 6 });
    const worker = start('a');
    pass(5_000);
    emulator.fault({ kind: 'rate_limited', wait: 30_000, form: 'date' }, { times: 1 });
    publish(ids[0]!);
    pass(1_000);
    // The poll after its answer was refused.
    const limited = worker.events.flatMap(event => (event.kind === 'rate_limited' ? [event] : []));
    strictEqual(limited[0]?.by, 'service');
    ok(limited[0].wait > 28_000 && limited[0].wait <= 30_000, String(limited[0].wait));
    const before = emulator.requests.length;
    for (const id of ids) publish(id);
    pass(25_000);
    strictEqual(emulator.requests.length, before);
    pass(10_000);
    for (const id of ids) deepStrictEqual(numbersOf(id).stored, numbersOf(id).published);
    deepStrictEqual(
      worker.events.flatMap(event => (event.kind === 'rate_limited' ? [[event.by, event.wait > 0]] : [])),
      [
        ['service', true],
        ['service', false],
      ],
    );
  });

  it('waits for a quarter of an hour at most, whatever the service says', () => {
    const { start, pass, emulator, publish, ids, numbersOf } = virtualFleet({ identities: 2 });
    const worker = start('a');
    pass(5_000);
    emulator.fault({ kind: 'rate_limited', wait: 86_400_000, form: 'date' }, { times: 1 });
    publish(ids[0]!);
    pass(1_000);
    const limited = worker.events.flatMap(event => (event.kind === 'rate_limited' ? [event.wait] : []));
    deepStrictEqual(limited, [900_000]);
    pass(905_000);
    publish(ids[1]!);
    pass(5_000);
    deepStrictEqual(numbersOf(ids[1]!).stored, [2]);
  });
});
