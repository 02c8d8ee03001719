import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { LiveEvent, NoOwnEvents } from 'lobby-rx';
import { eventMemory } from '../../src/client/event-memory.js';
import { decodeEvent } from '../../src/protocol/live-event.js';

const event = (ts: string, payload: unknown = ts): LiveEvent => ({ kind: 'unknown', name: 'x', ts, payload });
const list = (...events: LiveEvent[]) => ({ events, watch: { index: '1' } });

describe('the memory of an event watch', () => {
  it('leaves out delivered events, and returns the same answer if there are none', () => {
    const memory = eventMemory<NoOwnEvents>();
    const first = list(event('1'), event('2'));
    strictEqual(memory.trim(first), first);
    memory.remember(first);
    deepStrictEqual(memory.trim(list(event('2'), event('3'))).events, [event('3')]);
    deepStrictEqual(memory.trim(list(event('2', 'other'))).events, [event('2', 'other')]);
  });

  it('recognizes events of custom kinds, too', () => {
    const memory = eventMemory<{ chat_message: string }>();
    const chat = (payload: string) => ({ kind: 'chat_message' as const, ts: '1', payload });
    const batch = (...texts: string[]) => ({ events: texts.map(chat), watch: { index: '1' } });
    memory.remember(batch('a', 'b'));
    deepStrictEqual(memory.trim(batch('a', 'b', 'c')).events, [chat('c')]);
  });

  it('recognizes a malformed event by its raw value, at any position, but not without a ts', () => {
    const memory = eventMemory<NoOwnEvents>();
    const at = (raw: object, place: number) => decodeEvent(raw, {}, place)[0]!;
    memory.remember(list(at({ kind: 7, ts: '1' }, 1), at({ kind: {} }, 0)));
    deepStrictEqual(memory.trim(list(at({ kind: 7, ts: '1' }, 0))).events, []);
    strictEqual(memory.trim(list(at({ kind: {} }, 0))).events.length, 1);
    memory.remember(list(at({ kind: {}, ts: 7 }, 0)));
    strictEqual(memory.trim(list(at({ kind: {}, ts: 7 }, 0))).events.length, 1);
    // What is not remembered takes nothing's place.
    for (let n = 0; n < 2_000; n++) memory.remember(list(at({ kind: n }, 0)));
    strictEqual(memory.trim(list(at({ kind: 7, ts: '1' }, 0))).events.length, 0);
  });

  it('takes no more memory for many events than for a thousand', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const memory = eventMemory<NoOwnEvents>();
    const used = (count: number) => {
      for (let n = 0; n < count; n++) memory.remember(list(event(`${String(Math.random())} ${n}`)));
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = used(1_000);
    ok(used(50_000) - before < 2_000_000);
    // Keeps it from being collected before this line.
    ok(memory);
  });

  it('keeps the last thousand, even if many have the same ts', () => {
    const memory = eventMemory<NoOwnEvents>();
    const many = Array.from({ length: 1_500 }, (_, n) => event('1', n));
    memory.remember(list(...many));
    deepStrictEqual(memory.trim(list(...many.slice(-5), event('1', 'new'))).events, [event('1', 'new')]);
    strictEqual(memory.trim(list(...many.slice(0, 5))).events.length, 5);
    for (let n = 0; n < 3_000; n++) memory.remember(list(event(`later ${n}`)));
    strictEqual(memory.trim(list(event('later 2000'))).events.length, 0);
    strictEqual(memory.trim(list(event('later 1999'))).events.length, 1);
  });
});
