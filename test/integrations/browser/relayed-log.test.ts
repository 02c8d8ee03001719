import { deepStrictEqual, strictEqual } from 'node:assert';
import { RelayedLog } from '../../../src/integrations/browser/relayed-log.js';
import type { Relayed } from '../../../src/integrations/browser/tab-message.js';

const at = (index: string) => ({ index, at: 0 });
const answer = (since: string | undefined, index: string): Relayed<string> => ({
  since,
  signal: { kind: 'answer', answer: index, checkpoint: at(index) },
});
const gap = (since: string): Relayed<string> => ({
  since,
  signal: { kind: 'gap', gap: { reason: 'silence', at: 0, index: since } },
});

describe('the log of a tab', () => {
  it('takes what follows its position, and nothing twice or out of order', () => {
    const log = new RelayedLog<string>({ from: at('1') }, 0);
    const all = [answer('1', '2'), answer('1', '2'), answer('3', '4'), answer('2', '3')];
    deepStrictEqual(
      all.map(relayed => log.orderOf(relayed)),
      ['next', 'next', 'later', 'later'],
    );
    deepStrictEqual(log.take(all), [all[0]!.signal, all[3]!.signal]);
    strictEqual(log.index, '3');
    deepStrictEqual([log.orderOf(answer('2', '3')), log.orderOf(answer('4', '5'))], ['known', 'later']);
  });

  it('has what followed a position: from the last time that it was there, and with the gap before', () => {
    const log = new RelayedLog<string>({ from: at('1') }, 0);
    const all = [answer('1', '2'), answer('2', '1'), gap('1'), answer('1', '5')];
    log.take(all);
    deepStrictEqual(log.signalsSince(at('1')), all.slice(2));
    deepStrictEqual(log.signalsSince(at('2')), all.slice(1));
    deepStrictEqual(
      [log.signalsSince(at('5')), log.signalsSince(undefined), log.signalsSince(at('7'))],
      [[], [], undefined],
    );
    deepStrictEqual(
      [at('2'), at('5'), at('7'), undefined].map(position => log.knowsMoreThan(position)),
      [true, false, false, true],
    );
  });

  it('keeps the last 50 signals, and none from before a position that it was given', () => {
    const log = new RelayedLog<string>({}, 0);
    log.take([], at('0'));
    strictEqual(log.index, '0');
    for (let i = 0; i < 51; i++) log.take([answer(String(i), String(i + 1))], at('x'));
    deepStrictEqual([log.signalsSince(at('0')), log.signalsSince(at('1'))?.length], [undefined, 50]);
    log.skipTo(at('9'));
    deepStrictEqual([log.index, log.signalsSince(at('50'))], ['9', undefined]);
  });

  it('has only the last answer if each is the whole state, whatever it follows', () => {
    const log = new RelayedLog<string>({ isState: true }, 0);
    const last = answer('7', '8');
    deepStrictEqual(log.take([answer('1', '2'), last, gap('8')]).length, 3);
    deepStrictEqual([log.signalsSince(undefined), log.signalsSince(at('8'))], [[last], [last]]);
    strictEqual(log.knowsMoreThan(undefined), false);
  });

  it('has an answer of a state without its status, which may have changed since', () => {
    const log = new RelayedLog<string>({ isState: true }, 7);
    const status = { ...log.status, state: 'live' } as const;
    const signal = { kind: 'answer', answer: '8', status } as const;
    deepStrictEqual(log.take([{ since: undefined, signal }]), [signal]);
    deepStrictEqual(log.signalsSince(undefined), [
      { since: undefined, signal: { kind: 'answer', answer: '8' } },
    ]);
  });

  it('has the last status', () => {
    const log = new RelayedLog<string>({}, 7);
    deepStrictEqual([log.status.state, log.status.since], ['connecting', 7]);
    const status = { ...log.status, state: 'live' } as const;
    deepStrictEqual(log.take([{ since: '3', signal: { kind: 'status', status } }]), [
      { kind: 'status', status },
    ]);
    deepStrictEqual([log.status, log.position], [status, undefined]);
  });
});
