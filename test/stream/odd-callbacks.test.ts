import { ok } from 'node:assert';
import { throwError } from 'rxjs';
import { watch, type Recovery } from 'lobby-rx';
import { virtualTime } from '../virtual-time.js';

describe('a watch whose callbacks return nonsense', () => {
  const polls = (config: object) => {
    const { scheduler, pass } = virtualTime();
    let count = 0;
    const poll = () => {
      count++;
      return throwError(() => 'down');
    };
    const watching = watch(poll, { scheduler, ...config }).subscribe();
    pass(60_000);
    watching.unsubscribe();
    return count;
  };

  it('is not polled in a hot loop', () => {
    const after = (value: unknown) => ({ recovery: () => ({ kind: 'retry', after: value }) as Recovery });
    for (const config of [
      ...[NaN, undefined, -1, 7, Infinity, '0.5'].map(value => ({ testing: { random: () => value } })),
      ...[NaN, 'soon', -5, Infinity, null].map(after),
    ]) {
      const count = polls(config);
      ok(count > 1 && count <= 64, `${count} polls a minute`);
    }
  });
});
