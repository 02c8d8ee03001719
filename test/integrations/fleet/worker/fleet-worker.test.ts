import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { BehaviorSubject } from 'rxjs';
import type { FleetEvent } from '../../../../src/integrations/fleet/fleet-event.js';
import { virtualFleet, type VirtualWorker } from '../virtual-fleet.js';

const kinds = (worker: VirtualWorker) =>
  worker.events.filter(({ kind }) => kind !== 'heartbeat').map(({ kind }) => kind);
const of = <K extends FleetEvent['kind']>(worker: VirtualWorker, kind: K) =>
  worker.events.filter((event): event is Extract<FleetEvent, { kind: K }> => event.kind === kind);

describe('a fleet of workers', () => {
  it('stores each event of each identity once, in order', () => {
    const { start, pass, publish, ids, numbersOf } = virtualFleet();
    const worker = start('a');
    pass(5_000);
    for (let i = 0; i < 50; i++) {
      publish(ids[i % ids.length]!);
      pass(i * 10);
    }
    pass(5_000);
    for (const id of ids) {
      const { stored, published } = numbersOf(id);
      deepStrictEqual(stored, published);
    }
    strictEqual(of(worker, 'assigned').length, 8);
    strictEqual(of(worker, 'heartbeat').at(-1)!.heartbeat.events, 50);
    strictEqual(of(worker, 'heartbeat').at(-1)!.heartbeat.live, 10);
    deepStrictEqual(
      kinds(worker).filter(kind => kind !== 'assigned' && kind !== 'worker'),
      ['ready'],
    );
  });

  it('stores where an identity begins, so that nothing is lost from then on', () => {
    const { start, pass, memory, ids, publish, numbersOf } = virtualFleet({ identities: 1 });
    const worker = start('a');
    pass(3_000);
    strictEqual(memory.records.length, 1);
    worker.kill();
    publish(ids[0]!);
    start('b');
    pass(20_000);
    deepStrictEqual(numbersOf(ids[0]!), { published: [1], stored: [1] });
  });

  it('shares the shards with a worker that joins, and takes them back when it leaves', () => {
    const { start, pass, held, owners } = virtualFleet();
    const a = start('a');
    pass(10_000);
    strictEqual(held(a).length, 8);
    const b = start('b');
    pass(10_000);
    ok(held(a).length >= 3 && held(b).length >= 3);
    strictEqual(held(a).length + held(b).length, 8);
    b.running.unsubscribe();
    pass(1_000);
    strictEqual(held(a).length, 8);
    deepStrictEqual([...owners()], ['a']);
    deepStrictEqual(
      of(a, 'worker').map(({ worker, state }) => `${worker} ${state}`),
      ['a joined', 'b joined', 'b left'],
    );
    a.running.unsubscribe();
    pass(100);
    deepStrictEqual([...owners()], []);
  });

  it('is ready once it holds its share', () => {
    const { start, pass, held } = virtualFleet();
    const a = start('a');
    pass(10_000);
    const b = start('b');
    while (of(b, 'ready').length === 0) pass(10);
    ok(held(b).length >= 3 && held(a).length + held(b).length === 8, `${held(a).length}, ${held(b).length}`);
    pass(30_000);
    deepStrictEqual([of(a, 'ready').length, of(b, 'ready').length], [1, 1]);
  });

  it('completes when it has given up everything, if it is drained', () => {
    const { start, pass, held, owners, ids, publish, numbersOf } = virtualFleet();
    const [a, b] = [start('a'), start('b')];
    pass(20_000);
    const { shards } = of(a, 'heartbeat').at(-1)!.heartbeat;
    a.drain();
    strictEqual(a.running.closed, false);
    pass(10);
    strictEqual(a.running.closed, true);
    deepStrictEqual(kinds(a).slice(-1 - shards), [...Array<string>(shards).fill('released'), 'drained']);
    for (const id of ids) publish(id);
    pass(200);
    deepStrictEqual([held(b).length, [...owners()]], [8, ['b']]);
    pass(5_000);
    for (const id of ids) {
      const { stored, published } = numbersOf(id);
      deepStrictEqual(stored, published);
    }
  });

  it('completes after a lease if it is drained while NATS is away, and gives up nothing twice', () => {
    const { start, pass } = virtualFleet();
    const [away, left] = [start('away'), start('left')];
    pass(20_000);
    away.link.isCut = true;
    away.drain();
    left.drain();
    left.running.unsubscribe();
    pass(3_990);
    strictEqual(away.running.closed, false);
    pass(20);
    strictEqual(away.running.closed, true);
    deepStrictEqual(kinds(away).at(-1), 'drained');
    pass(60_000);
    deepStrictEqual([kinds(left).includes('drained'), of(left, 'nats_error')], [false, []]);
  });

  it('tells how many answers are not stored yet', () => {
    const { start, pass, publish, ids } = virtualFleet();
    const worker = start('a');
    pass(5_000);
    worker.link.lostAnswers = 10;
    for (const id of ids) {
      publish(id);
      pass(110);
    }
    const unstored = () => of(worker, 'heartbeat').map(({ heartbeat }) => heartbeat.unstored);
    ok(Math.max(...unstored()) > 0, unstored().join());
    pass(10_000);
    strictEqual(unstored().at(-1), 0);
  });

  it('tells at each tick what it does now, and whether NATS has stored that it is alive', () => {
    const { start, pass, publish, ids } = virtualFleet();
    const worker = start('a');
    pass(5_000);
    const last = () => of(worker, 'heartbeat').at(-1)!;
    deepStrictEqual([last().stored, last().heartbeat.live], [true, 10]);
    worker.link.isCut = true;
    for (const id of ids) publish(id);
    const before = of(worker, 'heartbeat').length;
    pass(3_000);
    ok(of(worker, 'heartbeat').length >= before + 2);
    const { live, unstored } = last().heartbeat;
    deepStrictEqual([last().stored, live, unstored], [false, 0, 10]);
    // Of those that fail, once in a tick.
    pass(4_000);
    const errors = of(worker, 'nats_error').filter(({ identities }) => identities !== undefined);
    ok(errors.length >= 1 && errors.length <= 7, String(errors.length));
    strictEqual(errors.at(-1)!.identities, 10);
    worker.link.isCut = false;
    pass(6_000);
    deepStrictEqual([last().stored, last().heartbeat.live, last().heartbeat.unstored], [true, 10, 0]);
  });

  it('begins with all others, although hundreds get no token', () => {
    const { start, pass, tokens, ids } = virtualFleet({ identities: 310 });
    const good = new Set(ids.slice(-10));
    const get = tokens.get.bind(tokens);
    tokens.get = id => {
      if (good.has(id)) return get(id);
      throw new Error('no session');
    };
    const worker = start('a');
    pass(10_000);
    const { live, retrying } = of(worker, 'heartbeat').at(-1)!.heartbeat;
    deepStrictEqual([live, retrying], [10, 300]);
  });

  it('is ready once it has polled what it is to follow, or what has to wait for the rate limit', () => {
    for (const requestsPerMinute of [60_000, 10]) {
      const { start, pass, emulator } = virtualFleet({ requestsPerMinute });
      const worker = start('a');
      const polled = () => emulator.requests.length;
      for (let waited = 0; of(worker, 'ready').length === 0 && waited < 20_000; waited++) pass(1);
      strictEqual(of(worker, 'ready').length, 1);
      ok(requestsPerMinute === 10 ? polled() < 10 : polled() >= 10, `${polled()}`);
    }
  });

  it('takes the shards of a worker that is killed, after a lease', () => {
    const { start, pass, held, ids, publish, numbersOf } = virtualFleet();
    const [a, b] = [start('a'), start('b')];
    pass(20_000);
    const lost = held(a);
    a.kill();
    for (const id of ids) publish(id);
    pass(4_000 - 1_000 - 20);
    deepStrictEqual(held(a), lost);
    pass(1_000 + 1_000 + 100);
    strictEqual(held(b).length, 8);
    pass(1_000);
    for (const id of ids) {
      const { stored, published } = numbersOf(id);
      deepStrictEqual(stored, published);
    }
    deepStrictEqual(
      of(b, 'assigned')
        .filter(({ from }) => from === 'a')
        .map(({ shard }) => shard),
      lost,
    );
  });

  it('shares the shards of a worker that is killed with one that joins before a lease has passed', () => {
    const { start, pass, held, owners, workers } = virtualFleet();
    const [a] = [start('a'), start('b')];
    pass(20_000);
    a.kill();
    pass(2_000);
    start('c');
    pass(8_500);
    deepStrictEqual([...owners()].sort(), ['b', 'c']);
    strictEqual(
      workers.slice(1).reduce((sum, worker) => sum + held(worker).length, 0),
      8,
    );
  });

  it('is left by all that are killed to one that joins, as soon as their lease is over', () => {
    const { start, pass, held } = virtualFleet();
    const killed = [start('a'), start('b')];
    pass(20_000);
    for (const worker of killed) worker.kill();
    pass(1_500);
    const c = start('c');
    pass(1_000);
    ok(of(c, 'assigned').length < 8 && of(c, 'assigned').length === held(c).length);
    pass(3_100);
    deepStrictEqual([held(c).length, of(c, 'assigned').length], [8, 8]);
  });

  it('is not doubled by a worker that was frozen, which gets back what others have taken', () => {
    const { start, pass, held, ids, publish, numbersOf } = virtualFleet();
    const [a, b] = [start('a'), start('b')];
    pass(20_000);
    const shards = held(a);
    a.scheduler.freeze();
    for (const id of ids) publish(id);
    pass(6_000);
    strictEqual(held(b).length, 8);
    for (const id of ids) publish(id);
    a.scheduler.thaw();
    pass(20_000);
    for (const id of ids) {
      const { stored, published } = numbersOf(id);
      deepStrictEqual(stored, published);
    }
    const givenBack = of(b, 'released').map(({ shard }) => shard);
    deepStrictEqual([givenBack.sort(), held(a)], [shards, shards]);
    deepStrictEqual([held(a).length, held(b).length], [4, 4]);
  });

  it('takes nobody for silent after it was frozen or cut off itself', () => {
    const { start, pass, held } = virtualFleet();
    const [a, b] = [start('a'), start('b')];
    pass(20_000);
    const before = held(b);
    for (const trouble of [
      () => {
        a.scheduler.freeze();
        b.scheduler.freeze();
        pass(9_000);
        a.scheduler.thaw();
        pass(1_500);
        b.scheduler.thaw();
      },
      () => {
        a.link.isCut = true;
        b.link.isCut = true;
        pass(9_000);
        a.link.isCut = false;
        pass(1_500);
        b.link.isCut = false;
      },
    ]) {
      trouble();
      pass(20_000);
      deepStrictEqual(held(b), before);
      deepStrictEqual([of(a, 'lost'), of(b, 'lost')], [[], []]);
    }
  });

  it('gives up no shard while NATS is away for less than three leases, and then all of them', () => {
    const { start, pass, held, emulator } = virtualFleet();
    const a = start('a');
    const polls = () => emulator.requests.filter(({ pending }) => pending).length;
    pass(20_000);
    const before = held(a);
    a.link.isCut = true;
    pass(10_500);
    deepStrictEqual([of(a, 'lost'), polls()], [[], 10]);
    pass(3_000);
    deepStrictEqual([of(a, 'lost').length, polls()], [8, 0]);
    const counted = () => {
      const { shards, identities, live } = of(a, 'heartbeat').at(-1)!.heartbeat;
      return [shards, identities, live];
    };
    pass(60_000);
    // An alarm on identities without a poll stays on.
    deepStrictEqual(counted(), [0, 10, 0]);
    a.link.isCut = false;
    pass(6_500);
    deepStrictEqual([held(a), polls(), of(a, 'assigned').length], [before, 10, 16]);
    deepStrictEqual(counted(), [8, 10, 10]);
  });

  it('goes on from where an identity without news was, not from its last record', () => {
    const { start, pass, memory, ids, publish, numbersOf } = virtualFleet({ identities: 3 });
    const a = start('a');
    // Longer than the service keeps events.
    pass(600_000);
    a.kill();
    for (const id of ids) publish(id);
    start('b');
    pass(30_000);
    for (const id of ids) deepStrictEqual(numbersOf(id).stored, numbersOf(id).published);
    deepStrictEqual(
      memory.records.filter(({ gap }) => gap),
      [],
    );
  });

  it('does so even if all of its records have expired', () => {
    const { start, pass, memory, ids, publish, numbersOf } = virtualFleet({ identities: 3 });
    const a = start('a');
    pass(600_000);
    memory.expire();
    a.running.unsubscribe();
    const records = memory.records.length;
    start('b');
    pass(60_000);
    strictEqual(memory.records.length, records);
    for (const id of ids) publish(id);
    pass(5_000);
    for (const id of ids) deepStrictEqual(numbersOf(id).stored, numbersOf(id).published);
    deepStrictEqual(
      memory.records.filter(({ gap }) => gap),
      [],
    );
  });

  it('stores a gap if nobody has polled for longer than the service keeps events', () => {
    const { start, pass, memory, ids, publish } = virtualFleet({ identities: 1 });
    start('a').kill();
    const a = start('b');
    pass(30_000);
    a.running.unsubscribe();
    publish(ids[0]!);
    pass(400_000);
    const c = start('c');
    pass(30_000);
    deepStrictEqual(
      memory.records.map(({ gap }) => gap?.reason),
      [undefined, 'silence'],
    );
    deepStrictEqual(
      of(c, 'gap').map(({ gap }) => gap.reason),
      ['silence'],
    );
  });

  it('recognizes what it has stored itself, if the answer was lost', () => {
    const { start, pass, ids, publish, numbersOf } = virtualFleet({ identities: 1 });
    const a = start('a');
    pass(5_000);
    a.link.lostAnswers = 2;
    publish(ids[0]!);
    pass(5_000);
    publish(ids[0]!);
    pass(5_000);
    deepStrictEqual(numbersOf(ids[0]!), { published: [1, 2], stored: [1, 2] });
    deepStrictEqual(of(a, 'nats_error').length, 2);
    deepStrictEqual(of(a, 'conflict'), []);
  });

  it('goes on after what a zombie has stored, although it has seen more itself', () => {
    const { start, pass, ids, emulator, memory } = virtualFleet({ identities: 1 });
    const [identity_id] = ids as [string];
    const a = start('a');
    pass(5_000);
    // Both in one answer.
    const ts = emulator.publish(identity_id, { numbered: { number: 1 } });
    emulator.publish(identity_id, { numbered: { number: 2 } });
    const index = String(Date.parse(ts) + 1);
    const answer = { events: [{ kind: { numbered: { number: 1 } }, ts }], watch: { index } };
    const checkpoint = { index, since: Date.parse(ts) };
    memory.storeAs({ identity_id, answer, checkpoint, gap: undefined, key: 'zombie' });
    pass(5_000);
    deepStrictEqual(
      memory.records.map(({ answer: { events } }) =>
        events.map(event => (event as { ts: string }).ts === ts),
      ),
      [[], [true], [false]],
    );
    strictEqual(of(a, 'conflict').length, 1);
  });

  it('appends after a part of a record that nobody has finished, and after all has expired', () => {
    const { start, pass, ids, publish, numbersOf, memory } = virtualFleet({ identities: 1 });
    start('a');
    pass(5_000);
    memory.leavePart(ids[0]!);
    publish(ids[0]!);
    pass(5_000);
    memory.expire();
    publish(ids[0]!);
    pass(5_000);
    deepStrictEqual(numbersOf(ids[0]!), { published: [1, 2], stored: [1, 2] });
  });

  it('waits a moment if an append is refused, and it does not yet see why', () => {
    const { start, pass, ids, publish, numbersOf, memory } = virtualFleet({ identities: 1 });
    start('a');
    pass(5_000);
    memory.lag = 3;
    memory.leavePart(ids[0]!);
    publish(ids[0]!);
    pass(600);
    deepStrictEqual(numbersOf(ids[0]!).stored, []);
    pass(1_000);
    deepStrictEqual(numbersOf(ids[0]!).stored, [1]);
  });

  it('has appends of a zombie refused, which goes on from where the records end, until it looks who has the shard', () => {
    const { start, pass, held, ids, publish, numbersOf } = virtualFleet({ shards: 1 });
    const [a, b] = [start('a'), start('b')];
    pass(20_000);
    const [zombie, other] = held(a).length > 0 ? [a, b] : [b, a];
    zombie.link.isZombie = true;
    pass(5_500);
    deepStrictEqual([held(other), of(other, 'assigned').map(({ from }) => from)], [[0], [zombie.name]]);
    // Both poll, and have the same answers.
    for (const id of ids) publish(id);
    pass(2_000);
    for (const id of ids) deepStrictEqual(numbersOf(id).stored, numbersOf(id).published);
    strictEqual(of(zombie, 'conflict').length + of(other, 'conflict').length, ids.length);
    deepStrictEqual(of(zombie, 'lost'), []);
    zombie.link.isZombie = false;
    pass(10_000);
    const conflicts = of(zombie, 'conflict').length + of(other, 'conflict').length;
    for (const id of ids) publish(id);
    pass(2_000);
    for (const id of ids) deepStrictEqual(numbersOf(id).stored, numbersOf(id).published);
    strictEqual(of(zombie, 'conflict').length + of(other, 'conflict').length, conflicts);
  });

  it('follows identities as they come and go', () => {
    const { start, pass, ids, identities$, publish, numbersOf, emulator } = virtualFleet({ identities: 4 });
    identities$.next(new Set(ids.slice(0, 2)));
    start('a');
    start('b');
    pass(20_000);
    identities$.next(new Set(ids.slice(1, 3)));
    pass(5_000);
    for (const id of ids) publish(id);
    pass(5_000);
    deepStrictEqual(
      ids.map(id => numbersOf(id).stored.length),
      [0, 1, 1, 0],
    );
    strictEqual(emulator.requests.filter(({ pending }) => pending).length, 2);
  });

  it('says when the service refuses to answer for an identity, goes on with the others, and asks again', () => {
    const { start, pass, ids, tokens, emulator, publish, numbersOf } = virtualFleet({ identities: 2 });
    const good = tokens.get(ids[0]!)!;
    tokens.set(ids[0]!, 'unknown');
    const a = start('a');
    pass(10_000);
    deepStrictEqual(
      of(a, 'identity_rejected').map(({ identity_id, retryIn }) => [identity_id, retryIn]),
      [[ids[0], 60_000]],
    );
    publish(ids[1]!);
    tokens.set(ids[0]!, emulator.renewToken(good));
    pass(70_000);
    publish(ids[0]!);
    pass(5_000);
    deepStrictEqual(
      ids.map(id => numbersOf(id).stored.length),
      [1, 1],
    );
    strictEqual(of(a, 'identity_rejected').length, 1);
  });

  it('has no gap when the service answers for an identity again, however long it had no news before', () => {
    const { start, pass, ids, tokens, emulator, memory, publish, numbersOf } = virtualFleet({
      identities: 1,
    });
    const good = tokens.get(ids[0]!)!;
    const a = start('a');
    // Longer than the service keeps events.
    pass(600_000);
    tokens.set(ids[0]!, 'unknown');
    emulator.expireToken(good);
    pass(70_000);
    ok(of(a, 'identity_rejected').length >= 1);
    tokens.set(ids[0]!, emulator.renewToken(good));
    publish(ids[0]!);
    pass(120_000);
    deepStrictEqual(numbersOf(ids[0]!), { published: [1], stored: [1] });
    deepStrictEqual(
      memory.records.filter(({ gap }) => gap),
      [],
    );
  });

  it('has no gap if identities are not wanted for a moment, however long they had no news', () => {
    const { start, pass, ids, identities$, memory } = virtualFleet({ identities: 4 });
    start('a');
    pass(1_800_000);
    identities$.next(new Set());
    pass(100);
    identities$.next(new Set(ids));
    pass(60_000);
    deepStrictEqual(
      memory.records.filter(({ gap }) => gap),
      [],
    );
  });

  it('tells that polls fail, and of how many identities, a few times in a lease', () => {
    const { start, pass, emulator } = virtualFleet({ identities: 10 });
    const a = start('a');
    pass(5_000);
    const stop = emulator.fault({ kind: 'error', status: 503 }, { times: 10_000 });
    pass(60_000);
    const told = of(a, 'retrying');
    ok(told.length > 5 && told.length <= 60_000 / 800 + 1, String(told.length));
    strictEqual(told.at(-1)!.identities, 10);
    strictEqual(of(a, 'heartbeat').at(-1)!.heartbeat.retrying, 10);
    ok(String(told[0]!.error).includes('503'));
    stop();
    pass(10_000);
    deepStrictEqual(of(a, 'heartbeat').at(-1)!.heartbeat.live, 10);
  });

  it('goes on when NATS has lost who is alive', () => {
    const { start, pass, memory, owners, publish, ids, numbersOf } = virtualFleet();
    const [a, b] = [start('a'), start('b')];
    pass(20_000);
    memory.forgetAlive();
    for (const id of ids) publish(id);
    pass(10_000);
    deepStrictEqual([...owners()].sort(), ['a', 'b']);
    b.running.unsubscribe();
    pass(1_000);
    deepStrictEqual([...owners()], ['a']);
    for (const id of ids) deepStrictEqual(numbersOf(id).stored, numbersOf(id).published);
    deepStrictEqual([a.error, b.error], [undefined, undefined]);
  });

  it('moves no shard when only the list of who is alive is lost', () => {
    const { start, pass, memory, held } = virtualFleet();
    const workers = [start('a'), start('b'), start('c')];
    pass(20_000);
    const before = workers.map(held);
    memory.forgetAlive();
    pass(20_000);
    deepStrictEqual(
      [workers.map(held), workers.flatMap(worker => of(worker, 'released')).length],
      [before, 0],
    );
  });

  it('learns at its next beat what nobody has told it', () => {
    const { start, pass, owners } = virtualFleet({ shards: 4 });
    const [a, b] = [start('a'), start('b')];
    pass(12_100);
    // That a leaves does not reach b.
    b.link.isCut = true;
    a.running.unsubscribe();
    pass(20);
    b.link.isCut = false;
    pass(1_100);
    deepStrictEqual([...owners()], ['b']);
  });

  it('goes on to say that it is alive if NATS does not say in time who is', () => {
    const { start, pass, held } = virtualFleet();
    const [a, b] = [start('a'), start('b')];
    pass(20_000);
    const before = held(a);
    const beats = of(a, 'heartbeat').length;
    a.link.isBlind = true;
    pass(60_000);
    const told = of(a, 'heartbeat').slice(beats);
    ok(told.length >= 58 && told.every(({ stored }) => stored), `${told.length} heartbeats`);
    const [first] = of(a, 'nats_error');
    strictEqual(String(first?.error), 'FleetError: NATS did not report in time which workers are alive');
    deepStrictEqual([held(a), of(a, 'lost')], [before, []]);
    b.running.unsubscribe();
    pass(2_000);
    const assigned = of(a, 'assigned').length;
    a.link.isBlind = false;
    pass(2_000);
    strictEqual(of(a, 'assigned').length - assigned, 8 - before.length);
  });

  it('does not count as alive while it hears nothing, although its heartbeats arrive', () => {
    const { start, pass, held, ids, publish, numbersOf } = virtualFleet();
    const [a, b] = [start('a'), start('b')];
    pass(20_000);
    a.link.isDeaf = true;
    // It has said once more that it is alive.
    pass(4_000 + 3_000);
    strictEqual(held(b).length, 8);
    const assigned = of(b, 'assigned').length;
    for (let round = 0; round < 20; round++) {
      for (const id of ids) publish(id);
      pass(5_000);
      strictEqual(held(b).length, 8);
    }
    strictEqual(of(b, 'assigned').length, assigned);
    a.link.isDeaf = false;
    pass(20_000);
    deepStrictEqual([held(a).length, held(b).length], [4, 4]);
    for (const id of ids) {
      const { stored, published } = numbersOf(id);
      deepStrictEqual(stored, published);
    }
  });

  it('gives way if none of its polls gets through while those of others do, and takes its part again', () => {
    const { start, pass, held, ids, publish, numbersOf } = virtualFleet({ identities: 40, shards: 16 });
    const [a, b] = [start('a'), start('b')];
    pass(20_000);
    const part = held(a);
    a.link.isBanned = true;
    // Until then, the service holds polls that it got before.
    pass(60_000);
    for (let second = 0; second < 600; second++) {
      if (second % 60 === 0) for (const id of ids) publish(id);
      pass(1_000);
      ok(held(a).length <= 1 && held(b).length >= 15);
    }
    // Each identity that is tried goes back to the other worker in time.
    pass(40_000);
    for (const id of ids) strictEqual(numbersOf(id).stored.length, 10);
    deepStrictEqual(of(b, 'gap'), []);
    a.link.isBanned = false;
    pass(120_000);
    deepStrictEqual(held(a), part);
    for (const id of ids) deepStrictEqual(numbersOf(id).stored, numbersOf(id).published);
  });

  it('keeps its part if the polls of no worker get through', () => {
    const { start, pass, held } = virtualFleet({ identities: 40, shards: 16 });
    const workers = [start('a'), start('b')];
    pass(20_000);
    const parts = workers.map(held);
    for (const { link } of workers) link.isBanned = true;
    pass(60_000);
    deepStrictEqual(workers.map(held), parts);
    for (const { link } of workers) link.isBanned = false;
    pass(30_000);
    deepStrictEqual(workers.map(held), parts);
  });

  it('takes its shards after another look if their checkpoints could not be read', () => {
    const { start, pass } = virtualFleet();
    const a = start('a');
    // The answer to its second look, the first after it has waited for others, is on the way.
    pass(1_025);
    a.link.isCut = true;
    pass(6_000);
    deepStrictEqual([of(a, 'nats_error').length >= 8, of(a, 'assigned'), of(a, 'ready')], [true, [], []]);
    a.link.isCut = false;
    pass(8_000);
    deepStrictEqual([of(a, 'assigned').length, of(a, 'ready').length], [8, 1]);
  });

  it('moves few shards when all start at once: the first one waits for the others', () => {
    const { start, pass, workers } = virtualFleet({ shards: 64 });
    for (const name of 'abcdefgh') start(name);
    pass(3_000);
    strictEqual(workers.flatMap(worker => of(worker, 'assigned')).length, 64);
  });

  it('ends if another worker has its name', () => {
    const { start, pass, held } = virtualFleet();
    const first = start('a');
    pass(2_000);
    const second = start('a');
    pass(5_000);
    // The one that was there stays, and is not taken for one that has left.
    deepStrictEqual(first.error, undefined);
    ok(String(second.error).includes('name must be a name that no other worker has; got a'));
    pass(10_000);
    strictEqual(held(first).length, 8);
    deepStrictEqual(
      of(first, 'worker').filter(({ state }) => state !== 'joined'),
      [],
    );
  });

  it('says of which workers the list of identities is another one, after two leases and as long as it is', () => {
    const { start, pass, ids, identities$ } = virtualFleet({ lease: 4_000 });
    const list$ = new BehaviorSubject<ReadonlySet<string>>(new Set(ids.slice(1)));
    const a = start('a');
    const b = start('b', { list$ });
    pass(7_000);
    deepStrictEqual([of(a, 'identities_differ'), of(b, 'identities_differ')], [[], []]);
    pass(5_000);
    deepStrictEqual(of(a, 'identities_differ'), [
      { kind: 'identities_differ', worker: 'b', theirs: 9, own: 10 },
    ]);
    deepStrictEqual(of(b, 'identities_differ'), [
      { kind: 'identities_differ', worker: 'a', theirs: 10, own: 9 },
    ]);
    // As many, but others.
    list$.next(new Set([...ids.slice(1), 'other']));
    pass(30_000);
    ok(of(a, 'identities_differ').length >= 3, 'again, every two leases');
    deepStrictEqual(of(a, 'identities_differ').at(-1), {
      kind: 'identities_differ',
      worker: 'b',
      theirs: 10,
      own: 10,
    });
    list$.next(identities$.value);
    pass(5_000);
    const told = of(a, 'identities_differ').length;
    pass(60_000);
    strictEqual(of(a, 'identities_differ').length, told);
  });

  it('says that it has more identities than its capacity, once', () => {
    const { start, pass } = virtualFleet({ identities: 10 });
    const a = start('a', { capacity: 8 });
    pass(30_000);
    const told = [{ kind: 'overloaded', by: 'capacity', identities: 10 }];
    deepStrictEqual(of(a, 'overloaded'), told);
    start('b', { capacity: 8 });
    pass(30_000);
    deepStrictEqual(of(a, 'overloaded'), told);
  });

  it('says how late its timers are, and that it has too much to do if they always are, but not after one pause', () => {
    const { start, pass } = virtualFleet({ lease: 4_000 });
    const a = start('a');
    const pause = (ms: number) => {
      a.scheduler.freeze();
      pass(ms);
      a.scheduler.thaw();
    };
    const lates = () => of(a, 'heartbeat').map(({ heartbeat }) => heartbeat.late);
    pass(10_000);
    strictEqual(Math.max(...lates()), 0);
    pause(3_000);
    pass(5_000);
    const worst = Math.max(...lates());
    ok(worst > 2_500 && worst < 3_100, `${worst}`);
    deepStrictEqual([lates().at(-1), of(a, 'overloaded')], [0, []]);
    for (let i = 0; i < 10; i++) {
      pause(1_500);
      pass(20);
    }
    deepStrictEqual(of(a, 'overloaded'), [{ kind: 'overloaded', by: 'late', identities: 10 }]);
    pass(10_000);
    for (let i = 0; i < 10; i++) {
      pause(1_500);
      pass(20);
    }
    strictEqual(of(a, 'overloaded').length, 2);
  });

  it('counts no identity as live whose last poll is longer ago than a poll may last', () => {
    const { start, pass, emulator } = virtualFleet({ requestsPerMinute: 4 });
    const a = start('a');
    pass(400_000);
    for (let i = 0; i < 20; i++) {
      pass(10_000);
      const held = emulator.requests.filter(({ pending }) => pending).length;
      const { live } = of(a, 'heartbeat').at(-1)!.heartbeat;
      // A poll may last for 70 s, of which the service holds it for 40 to 60 s.
      ok(held <= live && live <= 5, `${live} are said to be live, the service holds ${held} polls`);
    }
  });
});
