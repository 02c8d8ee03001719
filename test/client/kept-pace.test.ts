import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { retry } from 'rxjs';
import { createEmulator, type Fault } from 'lobby-rx/emulator';
import { createClient, eventsWatch } from 'lobby-rx';
import { KeptPaces } from '../../src/stream/index.js';
import { virtualTime } from '../virtual-time.js';

/** A client of an emulator in virtual time, and how many requests it has sent. */
function world(fault?: Fault) {
  const { scheduler, pass } = virtualTime();
  const emulator = createEmulator({ scheduler });
  const { identity_id, token } = emulator.addIdentity();
  if (fault) emulator.fault(fault, { times: Infinity });
  const client = createClient({ url: emulator.url, transport: emulator.transport, scheduler, token });
  return { scheduler, pass, emulator, identity_id, client, sent: () => emulator.requests.length };
}

describe('the pace of a watch', () => {
  it('is kept for the next watch of the same, so that immediate retries take no quota', () => {
    const { client, pass, sent } = world();
    const watching = client.group.roster('no such group').pipe(retry()).subscribe();
    pass(1_000);
    ok(sent() <= 5, String(sent()));
    pass(299_000);
    ok(sent() <= 305, String(sent()));
    watching.unsubscribe();
  });

  it('goes on with a wait that the service has asked for, although watches come and go', () => {
    const { client, pass, sent } = world({ kind: 'rate_limited', wait: 60_000 });
    const states: string[] = [];
    for (let second = 0; second < 60; second += 2) {
      const watching = client.events.batches().subscribe();
      pass(1_500);
      watching.unsubscribe();
      pass(500);
    }
    strictEqual(sent(), 1);
    const watching = client
      .watchSignals(eventsWatch, {})
      .subscribe(signal => signal.kind === 'status' && states.push(signal.status.state));
    pass(1_500);
    deepStrictEqual([sent(), states.at(-1)], [2, 'retrying']);
    watching.unsubscribe();
  });

  it('shows when the next poll is due if a watch begins while the service has asked to wait', () => {
    const { client, scheduler, pass } = world({ kind: 'rate_limited', wait: 60_000 });
    const begun = scheduler.now();
    const first = client.events.batches().subscribe();
    pass(100);
    first.unsubscribe();
    pass(10_000);
    const statuses: (readonly [string, number])[] = [];
    const watching = client.watchSignals(eventsWatch, {}).subscribe(signal => {
      if (signal.kind === 'status') statuses.push([signal.status.state, signal.status.nextTry! - begun]);
    });
    // With its spread.
    deepStrictEqual(statuses.length, 1);
    ok(statuses[0]![0] === 'connecting' && statuses[0]![1] >= 60_000 && statuses[0]![1] < 66_000);
    watching.unsubscribe();
  });

  it('is that of one player, and of one endpoint with one input', () => {
    const { client, emulator, pass, sent } = world({ kind: 'rate_limited', wait: 60_000 });
    const watch = (lobby: typeof client) => {
      const watching = lobby.events.batches().subscribe();
      pass(100);
      watching.unsubscribe();
    };
    watch(client);
    watch(client);
    strictEqual(sent(), 1);
    watch(client.as(emulator.addIdentity().token));
    strictEqual(sent(), 2);
  });

  it('does not go on with a backoff: a button that reloads need not wait', () => {
    const { client, pass, sent } = world({ kind: 'html', status: 503 });
    const first = client.events.batches().subscribe();
    pass(60_000);
    first.unsubscribe();
    const before = sent();
    pass(1_000);
    client.events
      .batches()
      .subscribe()
      .add(() => undefined);
    pass(10);
    // By chance the poll after it may be soon, too.
    ok(sent() > before);
  });

  it('is of each watch its own while they run, so that ten that begin at once are quick', () => {
    const { client, pass, sent } = world();
    for (let i = 0; i < 10; i++) client.events.batches().subscribe();
    pass(100);
    ok(sent() >= 10, String(sent()));
  });

  it('is kept only until it is paid, and of a thousand watches at most', () => {
    const paces = new KeptPaces();
    const owing = (until: number) => ({ paidUntil: until, rest: { until: 0, earliest: 0 } });
    for (let i = 0; i < 1_200; i++) paces.keep(String(i), owing(10), 0);
    deepStrictEqual([paces.of('0'), paces.of('1199')], [undefined, owing(10)]);
    paces.keep('1199', owing(5), 0);
    deepStrictEqual(paces.of('1199'), owing(10));
    paces.keep('new', owing(30), 20);
    deepStrictEqual([paces.of('1199'), paces.of('new')], [undefined, owing(30)]);
    paces.keep('late', owing(30), 30);
    strictEqual(paces.of('late'), undefined);
  });
});
