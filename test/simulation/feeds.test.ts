import type { SubscriberConfig } from './world/subscriber.js';
import { expectNoViolation, LONG, some, sweep, type Case } from './survey.js';

const PATTERNS: readonly (readonly number[])[] = [
  [],
  Array.from({ length: 20 }, (_, i) => 3_000 + i * 6_900),
  // Several in one answer, and more while nobody is there.
  Array.from({ length: 20 }, (_, i) => 5_000 + i * 20_000).flatMap(at => [at, at + 5, at + 10, at + 15]),
];

/** A feed that is left, and come back to after each of these times. */
function* absences(ack: boolean, linger: number, visits: readonly (number | undefined)[]): Generator<Case> {
  for (const length of sweep(0, 400_000, { step: 1_000, coarse: 50_000 }))
    for (const from of some([44_500, 45_050, 79_999]))
      for (const pattern of some(PATTERNS))
        for (const visit of visits) {
          const to = from + length;
          const subscriber: SubscriberConfig = { kind: 'feed', ack, linger, visit, absences: [{ from, to }] };
          const publish = [...pattern, to + 50_000].sort((a, b) => a - b);
          yield ['a feed', { seed: from + length, publish, end: to + 480_000, settle: 70_000, subscriber }];
        }
}

describe('a simulated feed', () => {
  for (const ack of [false, true])
    for (const linger of [0, 1_000]) {
      it(`keeps its place while it is left, with a linger of ${linger}${ack ? ', acknowledged' : ''}`, () =>
        expectNoViolation(absences(ack, linger, [undefined]))).timeout(LONG);
      it(`gives each event once to visitors, with a linger of ${linger}${ack ? ', acknowledged' : ''}`, () =>
        expectNoViolation(absences(ack, linger, [1, 3]))).timeout(LONG);
    }
});
