import { strictEqual } from 'node:assert';
import { isSameStream } from '../../../../src/integrations/fleet/nats/same-stream.js';

describe('isSameStream', () => {
  const created = '2026-11-28T10:00:00.5Z';

  it('allows for servers of a cluster whose times differ a little', () => {
    strictEqual(isSameStream(created, created), true);
    strictEqual(isSameStream(created, '2026-11-28T10:00:00.600000001Z'), true);
    strictEqual(isSameStream(created, '2026-11-28T10:00:00.4Z'), true);
  });

  it('tells apart a stream from one that replaces it', () => {
    strictEqual(isSameStream(created, '2026-11-28T10:00:00.601Z'), false);
    strictEqual(isSameStream(created, '2026-11-28T10:00:00.399Z'), false);
  });
});
