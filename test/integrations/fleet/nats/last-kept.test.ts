import { deepStrictEqual, ok } from 'node:assert';
import fc from 'fast-check';
import { lastKept } from '../../../../src/integrations/fleet/nats/last-kept.js';
import { storedMessages } from '../stored-messages.js';

/** Messages of a stream, of which some were removed. Each is later than the one before. */
const someMessages = fc
  .uniqueArray(fc.integer({ min: 1, max: 2_000 }), { minLength: 1, maxLength: 200 })
  .map(sequences => sequences.sort((a, b) => a - b).map(sequence => ({ sequence, at: 10 * sequence })));

describe('lastKept', () => {
  it('is the known message if it is there, or has expired, with one question at most', async () => {
    await fc.assert(
      fc.asyncProperty(someMessages, fc.nat(), async (messages, nth) => {
        const known = messages[nth % messages.length]!;
        const { state, messageFrom } = storedMessages(messages);
        let questions = 0;
        const counted = (sequence: number) => {
          questions++;
          return messageFrom(sequence);
        };
        deepStrictEqual(await lastKept(known, state, counted), known);
        const expired = { sequence: state.first - 1, at: 7 };
        deepStrictEqual(await lastKept(expired, state, counted), expired);
        deepStrictEqual(questions, 1);
      }),
    );
  });

  it('is the known message if that was purged, and perhaps others around it', async () => {
    await fc.assert(
      fc.asyncProperty(someMessages, fc.nat(), fc.nat({ max: 5 }), async (messages, nth, more) => {
        const place = nth % messages.length;
        const known = messages[place]!;
        const { state } = storedMessages(messages);
        const left = messages.filter((_, i) => Math.abs(i - place) > more);
        const { messageFrom } = storedMessages(left);
        // The server still counts the purged messages at the end.
        const purged = { ...state, first: left[0]?.sequence ?? state.last + 1 };
        deepStrictEqual(await lastKept(known, purged, messageFrom), known);
      }),
    );
  });

  it('is the last message before the stream was set back, however much was stored since, with few questions', async () => {
    const cut = fc.record({ messages: someMessages, kept: fc.nat(), since: fc.nat({ max: 300 }) });
    await fc.assert(
      fc.asyncProperty(cut, fc.nat(), async ({ messages, kept, since }, nth) => {
        const left = messages.slice(0, kept % messages.length);
        const lost = messages.slice(left.length);
        const known = lost[nth % lost.length]!;
        const end = left.at(-1) ?? { sequence: 0, at: 0 };
        const later = Array.from({ length: since }, (_, i) => ({
          sequence: end.sequence + 1 + i,
          at: 1_000_000 + i,
        }));
        const { state, messageFrom } = storedMessages([...left, ...later]);
        let questions = 0;
        const found = await lastKept(known, state, sequence => {
          questions++;
          return messageFrom(sequence);
        });
        // A stream that has nothing left of before may have got past the known position.
        const isExpired = known.sequence < state.first;
        deepStrictEqual(found, isExpired ? known : end);
        ok(questions <= 13, `${questions}`);
      }),
    );
  });
});
