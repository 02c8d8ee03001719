import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { stripOf } from '../../../../../src/tools/workbench/page/strip/strip-of.js';
import type { SeenRequest } from '../../../../../src/tools/workbench/world-view.js';
import { answered, clientOf, event, poll } from '../outcome/seen.js';

const marks = (now: number, ...requests: readonly SeenRequest[]) =>
  stripOf(clientOf(...requests), now).map(({ shape, from, to, look }) => `${shape} ${look} ${from}-${to}`);
const statusOf = (now: number, ...requests: readonly SeenRequest[]) =>
  marks(now, ...requests)
    .filter(mark => mark.startsWith('status'))
    .map(mark => mark.replace('status ', ''));
const failed = poll(1_000, '1', { ended_at: 2_000, status: 502 });

describe('the strip of a client', () => {
  it('has its polls as they end, of which an open one is open, and its events', () => {
    deepStrictEqual(marks(9_000, poll(0, '1', answered(1_000, '2', event(999))), poll(1_001, '2')), [
      'poll news 0-1000',
      'event chat_message 1000-1000',
      'poll open 1001-9000',
      'status connecting 0-1000',
      'status live 1000-9000',
    ]);
  });

  it('is live once the service holds its poll, whenever it is looked at', () => {
    const held = poll(2_500, '1');
    const later = { ...held, ...answered(42_500, '2') };
    deepStrictEqual(statusOf(4_400, failed, held), ['connecting 1000-2000', 'retrying 2000-4400']);
    const outage = ['connecting 1000-2000', 'retrying 2000-5500'];
    deepStrictEqual(statusOf(9_000, failed, held), [...outage, 'live 5500-9000']);
    deepStrictEqual(statusOf(43_000, failed, later), [...outage, 'live 5500-43000']);
  });

  it('ends where its client ended: it left, or sends nothing for longer than a client rests', () => {
    const first = poll(0, '1', answered(1_000, '2'));
    deepStrictEqual(statusOf(5_900, first), ['connecting 0-1000', 'live 1000-5900']);
    deepStrictEqual(statusOf(7_000, first), ['connecting 0-1000', 'live 1000-6000', 'gone 6000-7000']);
    deepStrictEqual(statusOf(9_000, poll(0, '1', { ended_at: 5_000 })), [
      'connecting 0-2000',
      'live 2000-5000',
      'gone 5000-9000',
    ]);
    // It has come back.
    deepStrictEqual(statusOf(9_500, first, poll(9_000, undefined)), [
      'connecting 0-1000',
      'live 1000-6000',
      'gone 6000-9000',
      'connecting 9000-9500',
    ]);
  });

  it('says the same of a time, whenever it is looked at', () => {
    const course = fc.record({
      rest: fc.integer({ min: 1, max: 4_000 }),
      lasts: fc.integer({ min: 1, max: 5_000 }),
      status: fc.constantFrom(200, 502, 0),
    });
    fc.assert(
      fc.property(
        fc.array(course, { minLength: 1, maxLength: 8 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (courses, cut) => {
          let clock = 0;
          const requests = courses.map(({ rest, lasts, status }) => {
            const at = clock + rest;
            clock = at + lasts;
            return poll(at, '1', { ended_at: clock, status });
          });
          const then = Math.floor(clock * cut);
          /** What was known at that time. */
          const known = requests
            .filter(({ at }) => at <= then)
            .map(({ ended_at, status, ...rest }): SeenRequest =>
              ended_at! <= then ? { ...rest, ended_at: ended_at!, status: status! } : rest,
            );
          const statusAt = (of: readonly SeenRequest[], now: number, at: number) =>
            stripOf(clientOf(...of), now).find(
              ({ shape, from, to }) => shape === 'status' && from <= at && at < to,
            )?.look;
          if (known.length === 0) return;
          for (let at = 0; at < then; at += 100)
            deepStrictEqual(statusAt(known, then, at), statusAt(requests, clock, at), `at ${at} of ${then}`);
        },
      ),
    );
  });
});
