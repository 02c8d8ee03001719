import { deepStrictEqual, strictEqual } from 'node:assert';
import type { PlayerMessage } from 'lobby-rx/lobby-server';
import { MessageBuffer } from '../../../../src/integrations/lobby-server/socket/index.js';

describe('messages that nobody has taken yet', () => {
  it('do not keep the larger buffer that they were received in', () => {
    const buffer = new MessageBuffer(1_000);
    const received = Buffer.alloc(100_000, 7).subarray(10, 13);
    buffer.push(received, 3);
    buffer.push('text', 4);
    const taken: PlayerMessage[] = [];
    buffer.message$.subscribe(message => taken.push(message));
    buffer.push(received, 3);
    const [buffered, text, live] = taken as [Buffer, string, Buffer];
    deepStrictEqual([[...buffered], text], [[7, 7, 7], 'text']);
    strictEqual(buffered.buffer.byteLength, 3);
    strictEqual(live, received);
  });
});
