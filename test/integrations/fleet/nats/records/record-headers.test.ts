import { deepStrictEqual, strictEqual } from 'node:assert';
import { headers } from '@nats-io/transport-node';
import fc from 'fast-check';
import { identityOf, subjectOf } from '../../../../../src/integrations/fleet/nats/fleet-names.js';
import {
  partHeaders,
  readPart,
  readRecord,
  recordHeaders,
} from '../../../../../src/integrations/fleet/nats/records/stored-record.js';
import { anyText } from '../../../../any-text.js';

const text = anyText();

describe('the headers of a record', () => {
  it('keep whatever an index and a gap are', () => {
    const records = fc.record({
      index: text,
      age: fc.nat(),
      after: fc.nat(),
      part: fc.nat(),
      gap: fc.option(
        fc.record(
          { reason: fc.constant('silence' as const), at: fc.nat(), index: text },
          { noNullPrototype: true },
        ),
        {
          nil: undefined,
        },
      ),
      kinds: fc.array(text),
    });
    fc.assert(
      fc.property(records, ({ index, age, after, part, gap, kinds }) => {
        const written = recordHeaders(
          {
            identity_id: 'a',
            answer: { events: kinds.map(kind => ({ kind: { [kind]: {} } })), watch: { index } },
            checkpoint: { index, since: 5 },
            gap,
            key: 'the key',
          },
          age,
          { after, part },
        );
        deepStrictEqual(readRecord(written), {
          index,
          age,
          after,
          part,
          key: 'the key',
          gap: gap && { reason: gap.reason, index: gap.index },
        });
        for (const [, values] of written) {
          for (const value of values) strictEqual(/[\r\n]/.test(value), false);
        }
      }),
    );
  });

  it('of a part say where the record before it is, and nothing else', () => {
    const part = partHeaders({ after: 17, part: 20 });
    deepStrictEqual([readPart(part), readRecord(part)], [{ after: 17, part: 20 }, undefined]);
  });

  it('of others are not read', () => {
    deepStrictEqual(
      [readPart(undefined), readPart(headers()), readRecord(headers())],
      [undefined, undefined, undefined],
    );
    for (const [name, value] of [
      ['Lobby-Index', '%'],
      ['Lobby-Gap', '%7B'],
    ] as const) {
      const madeUp = recordHeaders(
        {
          identity_id: 'a',
          answer: { events: [], watch: { index: '1' } },
          checkpoint: { index: '1', since: 1 },
          gap: undefined,
          key: 'k',
        },
        0,
        { after: 0, part: 0 },
      );
      madeUp.set(name, value);
      strictEqual(readRecord(madeUp), undefined);
    }
  });
});

describe('the subject of an identity', () => {
  it('is valid for any id, and leads back to it', () => {
    fc.assert(
      fc.property(
        text.filter(id => id !== ''),
        id => {
          const subject = subjectOf(7, id);
          strictEqual(/^7\.[^\s.*>]+$/.test(subject), true);
          strictEqual(identityOf(`lobby.events.${subject}`), id);
        },
      ),
    );
  });
});
