import { deepStrictEqual } from 'node:assert';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { virtualWorld } from '../virtual-world.js';

// This is no test of the suite, since V8 forgets which lines were executed if it collects often.
describe('a client', () => {
  it('holds no feed that was left, and that no one else can reach', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { client, pass } = virtualWorld({ random: () => 0.5 });
    const made = (leaves: boolean) => {
      // The loop has it.
      const ack = () => undefined;
      const watching = client.events.createFeed({ ack }).all$.subscribe();
      pass(100);
      if (leaves) watching.unsubscribe();
      pass(2_000);
      return new WeakRef(ack);
    };
    const [left, watched] = [made(true), made(false)];
    // With this number of feeds, the client looks for those that are gone.
    for (let i = 0; i < 100; i++) made(true);
    for (let i = 0; i < 5; i++) {
      await new Promise(resolve => setImmediate(resolve));
      collect();
    }
    deepStrictEqual([left.deref() === undefined, watched.deref() === undefined], [true, false]);
    client.close();
  });
});
