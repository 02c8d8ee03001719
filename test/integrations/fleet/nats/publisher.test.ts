import { deepStrictEqual } from 'node:assert';
import { Publisher } from '../../../../src/integrations/fleet/nats/publisher.js';

/** What becomes of a publish, or of a question. */
type Outcome = 'answered' | 'timeout' | 'wrong last sequence';

/**
 * A stream of which each publish and each question gets the next outcome. Returns what each publish
 * has led to.
 */
async function published(publishes: readonly Outcome[], questions: readonly Outcome[], atOnce = false) {
  const [toPublish, toAsk] = [[...publishes], [...questions]];
  let asked = 0;
  const settle = (outcome: Outcome | undefined, answer: unknown) =>
    outcome === 'answered' ? Promise.resolve(answer) : Promise.reject(new Error(outcome));
  const publisher = new Publisher(
    { publish: () => settle(toPublish.shift(), { seq: 1 }) } as object as ConstructorParameters<
      typeof Publisher
    >[0],
    {
      info: () => {
        asked++;
        return settle(toAsk.shift(), {});
      },
    } as object as ConstructorParameters<typeof Publisher>[1],
  );
  const publish = () =>
    publisher.publish('S', 's', '').then(
      () => 'stored',
      (error: unknown) => String(error),
    );
  const results: string[] = [];
  if (atOnce) results.push(...(await Promise.all(publishes.map(publish))));
  else while (toPublish.length > 0) results.push(await publish());
  return { results, asked: () => asked };
}

const FULL =
  'FleetError: NATS answers but stores nothing in S: are servers of its cluster down, or is its disk full? Make room, and restart it';

describe('what is published', () => {
  it('is stored by no NATS that answers, then stores nothing, and answers again', async () => {
    const { results, asked } = await published(
      ['timeout', 'timeout', 'timeout'],
      ['answered', 'answered', 'answered'],
    );
    deepStrictEqual(results, ['Error: timeout', FULL, FULL]);
    deepStrictEqual(asked(), 3);
  });

  it('only comes late at a server that answers nothing', async () => {
    const { results } = await published(
      ['timeout', 'timeout', 'timeout', 'timeout'],
      ['timeout', 'answered', 'timeout', 'answered'],
    );
    deepStrictEqual(results, Array(4).fill('Error: timeout'));
  });

  it('was only late, if something is stored or rejected in between', async () => {
    for (const between of ['answered', 'wrong last sequence'] as const) {
      const { results, asked } = await published(['timeout', between, 'timeout'], ['answered', 'answered']);
      const said = between === 'answered' ? 'stored' : 'Error: wrong last sequence';
      deepStrictEqual(results, ['Error: timeout', said, 'Error: timeout']);
      deepStrictEqual(asked(), 2);
    }
  });

  it('is asked about once, however much of it is late at the same time', async () => {
    const late = Array.from({ length: 5 }, (): Outcome => 'timeout');
    const { results, asked } = await published(late, ['answered'], true);
    deepStrictEqual(results, Array(5).fill('Error: timeout'));
    deepStrictEqual(asked(), 1);
  });
});
