import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isRight } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { IdentityEventList } from 'lobby-rx';
import { EventMemory } from '../../src/client/event-memory.js';
import { identityEventList } from '../../src/protocol/index.js';

/** A wire event of a kind that the library does not know. */
const event = (text: unknown, ts: unknown = '1') => ({ kind: { chat: { text } }, ts });

interface Own {
  readonly dated: Date;
}
const codec = identityEventList<{ dated: t.Type<Date, unknown> }>({
  dated: new t.Type<Date, unknown>(
    'Date',
    (u): u is Date => u instanceof Date,
    u => t.success(new Date(String(u))),
    date => date.toISOString(),
  ),
});

/** A memory, and functions to feed it with answers as they come over the wire. */
function remembering() {
  const decode = (wire: unknown) => {
    const list = codec.decode(wire);
    return isRight(list) ? (list.right as IdentityEventList<Own>) : undefined;
  };
  const memory = new EventMemory<IdentityEventList<Own>>(decode);
  let index = 0;
  const answer = (wireEvents: readonly unknown[], order: 'first' | 'last' = 'last') => {
    const watch = { index: String(++index) };
    const text = JSON.stringify(
      order === 'last' ? { events: wireEvents, watch } : { watch, events: wireEvents },
    );
    const list = decode(JSON.parse(text))!;
    memory.arrived(list, text);
    return list;
  };
  /** How many of these events are delivered, and whether all of them are known. */
  const recall = (wireEvents: readonly unknown[], mayBeReplay: boolean) => {
    const given = answer(wireEvents);
    const { answer: rest, isNews, isKnown } = memory.recall(given, mayBeReplay);
    strictEqual(isNews, rest.events.length > 0);
    return [rest.events.length, isKnown];
  };
  return { memory, answer, recall, commit: (wire: readonly unknown[]) => memory.commit(answer(wire)) };
}

describe('the memory of an event watch', () => {
  it('leaves out a whole answer that repeats the last one as it came, however large, whatever the index', () => {
    for (const count of [1, 3_000, 20_000]) {
      const { recall, commit, answer, memory } = remembering();
      const events = Array.from({ length: count }, (_, n) => event(n));
      commit(events);
      deepStrictEqual(recall(events, false), [0, true]);
      // Beyond some thousand events, only the whole answer is recognized.
      if (count <= 3_000) deepStrictEqual(recall([...events.slice(1), event('new')], false), [1, false]);
      if (count <= 3_000) strictEqual(memory.recall(answer(events, 'first'), false).isNews, false);
    }
  });

  it('compares answers by what came, not by what codecs made of it, and not by watch data inside an event', () => {
    const { recall, commit } = remembering();
    const dated = (at: string) => [{ kind: { dated: at }, ts: '1' }];
    commit(dated('2026-01-01'));
    deepStrictEqual(recall(dated('2026-01-01'), false), [0, true]);
    deepStrictEqual(recall(dated('2026-01-01T00:00:00Z'), false), [1, false]);
    const nested = (index: string) => [{ kind: { chat: { watch: { index } } }, ts: '1' }];
    commit(nested('5'));
    deepStrictEqual(recall(nested('5'), false), [0, true]);
    deepStrictEqual(recall(nested('6'), false), [1, false]);
  });

  it('finds the watch data of an answer wherever they are, with any spaces', () => {
    const { memory } = remembering();
    const isNews = (text: string) => {
      const list = codec.decode(JSON.parse(text)) as { right: IdentityEventList<Own> };
      memory.arrived(list.right, text);
      const recalled = memory.recall(list.right, false);
      memory.commit(list.right);
      return recalled.isNews;
    };
    const events = (inner: string) =>
      `"events": [{"kind": {"chat": {"watch": {"index": "${inner}"}}}, "ts": "1"}]`;
    for (const text of [
      (index: string, inner: string) => `{"watch": {"index": "${index}"}, ${events(inner)}}`,
      (index: string, inner: string) => `{${events(inner)}, "watch" : {"index": "${index}"}, "more": 1}`,
      (index: string, inner: string) => `{${events(inner)}, "watch":\n {"index": "${index}"}\n}\n`,
    ]) {
      deepStrictEqual(
        [isNews(text('1', 'a')), isNews(text('2', 'a')), isNews(text('2', 'b'))],
        [true, false, true],
      );
    }
  });

  it('delivers the whole of what it cannot compare or take apart', () => {
    const { memory, answer } = remembering();
    const foreign: IdentityEventList<Own> = {
      events: [...answer([event('a')]).events],
      watch: { index: '1' },
    };
    memory.commitParts(foreign, 1);
    memory.commit(foreign);
    deepStrictEqual(memory.recall(foreign, true), { answer: foreign, isNews: true, isKnown: false });
    memory.arrived(foreign, 'no JSON');
    strictEqual(memory.recall(foreign, true).answer, foreign);
    memory.arrived(foreign, '{"events": 7}');
    strictEqual(memory.recall(foreign, true).answer, foreign);
    // A codec may fail at the second time.
    const broken = new EventMemory<IdentityEventList<Own>>(() => undefined);
    const text = (...texts: string[]) =>
      JSON.stringify({ events: texts.map(one => event(one)), watch: { index: '1' } });
    const first = answer([event('a'), event('b')]);
    broken.arrived(first, text('a', 'b'));
    broken.commitParts(first, 1);
    const second = answer([event('a'), event('c')]);
    broken.arrived(second, text('a', 'c'));
    strictEqual(broken.recall(second, true).answer, second);
    const third = answer([event('b')]);
    broken.arrived(third, text('b'));
    strictEqual(broken.recall(third, true).isNews, true);
  });

  it('knows the last 64 answers', () => {
    for (const count of [63, 64]) {
      const { recall, commit } = remembering();
      commit([event('first')]);
      for (let n = 0; n < count; n++) commit([event(n)]);
      deepStrictEqual(recall([event('first')], false), [1, count === 63]);
    }
  });

  it('remembers up to 7,000 events in case of a replay, and the last 3,500 of more', () => {
    for (const [count, delivered] of [
      [7_000, 1],
      [7_001, 3_502],
    ] as const) {
      const { recall, commit } = remembering();
      const events = Array.from({ length: count }, (_, n) => event(n));
      commit(events);
      deepStrictEqual(recall([...events, event('new')], true), [delivered, false]);
    }
  });

  it('recognizes a repetition with malformed events, with or without a ts', () => {
    const { recall, commit } = remembering();
    const broken = [{ kind: 7, ts: '1' }, { kind: {} }, 7, null];
    commit(broken);
    deepStrictEqual(recall(broken, false), [0, true]);
  });

  it('delivers the same event again if nothing suggests a replay, and says that it is known', () => {
    const { recall, commit } = remembering();
    commit([event('online')]);
    commit([event('away')]);
    deepStrictEqual(recall([event('online')], false), [1, true]);
  });

  it('knows answers that come in turn, whatever their size and their ts, so that they are paced', () => {
    for (const size of [10, 20_000, 100_000]) {
      for (const ts of ['1', '2']) {
        const { recall, commit } = remembering();
        const [a, b] = [[event('a'.repeat(size))], [event('b'.repeat(size), ts)]] as const;
        commit(a);
        for (let n = 0; n < 3; n++) {
          strictEqual(recall(b, false)[1], n > 0);
          commit(b);
          strictEqual(recall(a, false)[1], true);
          commit(a);
        }
      }
    }
  });

  it('leaves out the beginning of an answer that goes on where the delivered events end', () => {
    const { recall, commit } = remembering();
    commit([event('a', '1')]);
    commit([event('b', '2'), event('c', '2')]);
    deepStrictEqual(recall([event('c', '2'), event('d', '3')], false), [1, false]);
    deepStrictEqual(recall([event('a', '1'), event('b', '2'), event('c', '2'), event('d', '3')], false), [
      1,
      false,
    ]);
    deepStrictEqual(recall([event('c', '2')], false), [0, true]);
    // What happens twice within one ts is no replay.
    deepStrictEqual(recall([event('b', '2'), event('d', '3')], false), [2, false]);
  });

  it('leaves out what was delivered if there may be a replay, also without a ts, and compares everything but the order of keys', () => {
    const { recall, commit } = remembering();
    commit([event('a'), event('b', undefined)]);
    commit([event('c')]);
    deepStrictEqual(recall([event('b', undefined), event('c'), event('d')], true), [1, false]);
    deepStrictEqual(recall([event('b', undefined), event('a')], true), [0, true]);
    deepStrictEqual(recall([event('a', '2')], true), [1, false]);
    deepStrictEqual(recall([{ ts: '1', kind: event('a').kind }], true), [0, true]);
  });

  it('remembers at least five thousand events in case of a replay', () => {
    const { recall, commit } = remembering();
    for (let n = 0; n < 1_000; n++) commit([event(n)]);
    const many = Array.from({ length: 5_000 }, (_, n) => event(`large ${n} ${'x'.repeat(100)}`));
    commit(many);
    deepStrictEqual(recall([...many, event('new')], true), [1, false]);
  });

  it('remembers the part of an answer that was delivered', () => {
    const { recall, memory, answer } = remembering();
    const events = [event('a'), event('b'), event('c')];
    memory.commitParts(answer(events), 2);
    deepStrictEqual(recall(events, true), [1, false]);
    // An event with two kinds is delivered as two, and remembered as one.
    const two = { kind: { chat: {}, other: {} }, ts: '9' };
    memory.commitParts(answer([two, event('z', '9')]), 2);
    deepStrictEqual(recall([two, event('z', '9')], true), [1, false]);
    // The rest of an answer without what was known.
    const { answer: rest } = memory.recall(answer([event('a'), event('x'), event('y')]), true);
    memory.commitParts(rest, 1);
    deepStrictEqual(recall([event('x'), event('y')], true), [1, false]);
  });

  it('holds at most 256 KB, however many and however large the events were', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const used = async (count: number, size: number, mayBeReplay = true) => {
      const memories = Array.from({ length: 4 }, () => {
        const { memory, answer, commit } = remembering();
        for (let n = 0; n < count; n++) commit([event(`${String(Math.random())} ${'é–'.repeat(size)}`)]);
        // Only then are answers taken apart.
        if (mayBeReplay) memory.recall(answer([event('last')]), true);
        return memory;
      });
      // What only this stack still refers to, and then the keys of a WeakMap.
      await new Promise(resolve => setImmediate(resolve));
      for (let n = 0; n < 4; n++) collect();
      return { memories, heap: process.memoryUsage().heapUsed };
    };
    // Once before it counts: the code that V8 compiles meanwhile is no part of a memory.
    await used(12_000, 5, false);
    const { heap: before } = await used(0, 0);
    for (const [count, size, mayBeReplay] of [
      [12_000, 5, true],
      [2, 100_000, true],
      [12_000, 5, false],
    ] as const) {
      const { heap, memories } = await used(count, size, mayBeReplay);
      const each = (heap - before) / memories.length / 1024;
      ok(each < 256, `${each} KB`);
    }
  });
});
