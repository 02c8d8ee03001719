import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { of, retry } from 'rxjs';
import { createEmulator, type Fault } from 'lobby-rx/emulator';
import { createClient, eventsWatch, type ClientConfig } from 'lobby-rx';
import { virtualTime } from '../virtual-time.js';

/** A client of an emulator in virtual time, and how many requests it has sent. */
function world(fault?: Fault, watch: ClientConfig['watch'] = {}) {
  const { scheduler, pass } = virtualTime();
  const emulator = createEmulator({ scheduler });
  const { identity_id, token } = emulator.addIdentity();
  if (fault) emulator.fault(fault, { times: Infinity });
  const { url, transport } = emulator;
  const client = createClient({ url, transport, scheduler, token, watch });
  return { scheduler, pass, emulator, identity_id, client, sent: () => emulator.requests.length };
}

const LIMITED: Fault = { kind: 'rate_limited', wait: 60_000 };

describe('the pause of a route', () => {
  for (const quota of [1_900, Infinity]) {
    it(`lasts as long as the service has asked for, although watches come and go (quota ${quota})`, () => {
      const { client, pass, sent } = world(LIMITED, { quota });
      for (let second = 0; second < 58; second += 2) {
        const watching = client.events.batches().subscribe();
        pass(1_500);
        watching.unsubscribe();
        pass(500);
      }
      strictEqual(sent(), 1);
      const watching = client.events.batches().subscribe();
      pass(2_500);
      strictEqual(sent(), 2);
      watching.unsubscribe();
    });
  }

  it('is not asked for by a page of something else, which says nothing of other requests', () => {
    const { client, emulator, pass, sent } = world();
    const page = { status: 503, headers: { 'retry-after': '60' }, text: '<h1>Be right back</h1>' };
    const { transport } = emulator;
    let isAway = true;
    const other = createClient({
      url: emulator.url,
      token: () => emulator.addIdentity().token,
      transport: request =>
        isAway
          ? of({ ...page, headers: { get: (name: string) => (name === 'retry-after' ? '60' : null) } })
          : transport(request),
    });
    other.request(eventsWatch, {}).subscribe({ error: () => undefined });
    isAway = false;
    const watching = other.events.batches().subscribe();
    pass(100);
    strictEqual(sent(), 1);
    watching.unsubscribe();
    client.close();
    other.close();
  });

  it('is shown by a watch that begins in it', () => {
    const { client, scheduler, pass } = world(LIMITED);
    const begun = scheduler.now();
    const first = client.events.batches().subscribe();
    pass(100);
    first.unsubscribe();
    pass(10_000);
    const statuses: { readonly state: string; readonly nextTry: number | undefined }[] = [];
    const watching = client.watchSignals(eventsWatch, {}).subscribe(signal => {
      if (signal.kind !== 'status') return;
      const { state, nextTry } = signal.status;
      statuses.push({ state, nextTry: nextTry && nextTry - begun });
    });
    deepStrictEqual(statuses, [
      { state: 'connecting', nextTry: undefined },
      { state: 'connecting', nextTry: 60_000 },
    ]);
    watching.unsubscribe();
  });

  it('is for all players of a client, and for one route', () => {
    const { client, emulator, pass, sent } = world(LIMITED);
    const other = client.as(emulator.addIdentity().token);
    for (const { events } of [client, client, other]) {
      const watching = events.batches().subscribe();
      pass(100);
      watching.unsubscribe();
    }
    strictEqual(sent(), 1);
    client.group
      .watchMembers('another route')
      .subscribe({ error: () => undefined })
      .add(() => undefined);
    strictEqual(sent(), 2);
  });

  it('begins with a plain request, too, and delays none', () => {
    const { client, pass, sent } = world(LIMITED);
    const ask = () => client.request(eventsWatch, {}).subscribe({ error: () => undefined });
    ask();
    pass(100);
    const watching = client.events.batches().subscribe();
    pass(50_000);
    strictEqual(sent(), 1);
    ask();
    strictEqual(sent(), 2);
    watching.unsubscribe();
  });

  it('is no backoff: a button that reloads need not wait', () => {
    const { client, pass, sent } = world({ kind: 'html', status: 503 });
    const first = client.events.batches().subscribe();
    pass(60_000);
    first.unsubscribe();
    const before = sent();
    pass(1_000);
    const second = client.events.batches().subscribe();
    strictEqual(sent(), before + 1);
    second.unsubscribe();
  });
});

describe('a watch that is begun again and again', () => {
  it('is held by the quota of its route', () => {
    const { client, pass, sent } = world();
    const watching = client.group.roster('no such group').pipe(retry()).subscribe();
    pass(900_000);
    ok(sent() <= 1_900, String(sent()));
    watching.unsubscribe();
  });

  it('waits for no other watch', () => {
    const { client, pass, sent } = world();
    for (let i = 0; i < 10; i++) client.events.batches().subscribe();
    pass(100);
    ok(sent() >= 10, String(sent()));
  });
});
