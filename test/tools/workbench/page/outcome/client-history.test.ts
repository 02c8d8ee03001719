import { deepStrictEqual, ok } from 'node:assert';
import fc from 'fast-check';
import { createClient, type WatchStatus } from 'lobby-rx';
import { createEmulator, type Fault } from 'lobby-rx/emulator';
import { inProcessTransport } from '../../../../../src/tools/emulator/in-process-transport.js';
import { RequestLog } from '../../../../../src/tools/workbench/request-log.js';
import { clientsOf, stateAt } from '../../../../../src/tools/workbench/page/outcome/index.js';
import type { SeenRequest } from '../../../../../src/tools/workbench/world-view.js';
import { runs } from '../../../../runs.js';
import { virtualTime } from '../../../../virtual-time.js';
import { answered, clientOf, poll, refused } from './seen.js';

/** What happens to a client: a fault of its next polls, an event, or a while without any. */
interface Step {
  readonly fault: Fault['kind'] | undefined;
  readonly times: number;
  readonly publishes: boolean;
  /** How long it takes, in ms. */
  readonly lasts: number;
}

const step = fc.record<Step>({
  fault: fc.option(
    fc.constantFrom(
      'html',
      'error',
      'empty',
      'rate_limited',
      'reset_before_request',
      'reset_before_headers',
      'truncated_json',
      'wrong_json',
      'index_missing',
      'stall_before_headers',
    ),
    { nil: undefined },
  ),
  times: fc.integer({ min: 1, max: 4 }),
  publishes: fc.boolean(),
  lasts: fc.integer({ min: 100, max: 40_000 }),
});

/** What a client shows every two seconds, and what the workbench says that it shows. */
function bothAlong(steps: readonly Step[], jitter: number) {
  const { scheduler, pass } = virtualTime();
  const emulator = createEmulator({ scheduler });
  const log = new RequestLog(() => scheduler.now());
  const observed = log.observed(emulator);
  const { identity_id, token } = observed.addIdentity();
  const client = createClient({
    url: emulator.url,
    token: () => token,
    scheduler,
    testing: { random: () => jitter },
    transport: inProcessTransport(observed.handle, scheduler),
  });
  const { feed } = client.events;
  let state: WatchStatus['state'] = 'idle';
  feed.status$.subscribe(status => {
    state = status.state;
  });
  feed.all$.subscribe({ error: () => undefined });
  const along: { readonly at: number; readonly shows: string; readonly said: string }[] = [];
  for (const { fault, times, publishes, lasts } of steps) {
    if (fault) observed.fault({ kind: fault } as Fault, { times });
    if (publishes) observed.publish(identity_id, { tick: 1 });
    for (let passed = 0; passed < lasts; passed += 2_000) {
      pass(2_000);
      const requests = log.since(0).map(({ request }) => ({ ...request, who: '', who_id: '' }));
      const [seen] = clientsOf(requests);
      along.push({ at: scheduler.now(), shows: state, said: stateAt(seen!.history, scheduler.now()) });
    }
  }
  client.close({ requests: 'drop' });
  return along;
}

describe('what a client shows, by its requests', () => {
  it('is what it shows, whatever it meets', () => {
    let compared = 0;
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 8 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (steps, jitter) => {
          const along = bothAlong(steps, jitter);
          deepStrictEqual(
            along.filter(({ shows, said }) => shows !== said),
            [],
          );
          compared += along.length;
          for (const { shows } of along) seen.add(shows);
        },
      ),
      { numRuns: runs(400) },
    );
    ok(compared > 500);
    ok(seen.has('live') && seen.has('retrying'));
  });

  const states = (...requests: readonly SeenRequest[]) =>
    clientOf(...requests).history.map(({ state, from }) => `${state} ${from}`);

  it('is that it has ended, once the service itself refuses it and no other token comes', () => {
    const first = poll(0, '1', answered(1_000, '2'));
    const live = ['connecting 0', 'live 1000'];
    deepStrictEqual(states(first, poll(1_001, '2', refused(1_500, 403))), [...live, 'closed 1500']);
    const rejected = poll(1_001, '2', refused(1_500, 401));
    deepStrictEqual(states(first, rejected), [...live, 'closed 1500']);
    deepStrictEqual(states(first, rejected, poll(1_600, '2')), live);
    deepStrictEqual(states(first, rejected, poll(90_000, undefined)), [
      ...live,
      'closed 1500',
      'connecting 90000',
    ]);
    // A proxy signs nobody out.
    deepStrictEqual(states(first, poll(1_001, '2', { ended_at: 1_500, status: 403 })), [
      ...live,
      'retrying 1500',
      'gone 7000',
    ]);
  });

  it('is that it is gone when it has left, or sends nothing for longer than its longest wait', () => {
    deepStrictEqual(states(poll(0, '1', { ended_at: 5_000 })), ['connecting 0', 'live 2000', 'gone 5000']);
    deepStrictEqual(states(poll(0, '1', { ended_at: 5_000 }), poll(5_900, '1')), [
      'connecting 0',
      'live 2000',
    ]);
    const limited = poll(0, '1', { ...refused(1_000, 429), retry_after: 60_000 });
    deepStrictEqual(states(limited), ['connecting 0', 'retrying 1000', 'gone 66500']);
  });
});
