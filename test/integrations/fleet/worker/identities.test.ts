import { deepStrictEqual, ok } from 'node:assert';
import { of, Subject, type ObservableInput } from 'rxjs';
import { shardOf } from '../../../../src/integrations/fleet/worker/assign-shards.js';
import {
  identitiesByShard,
  listedIdentities,
  type Identities,
} from '../../../../src/integrations/fleet/worker/identities.js';

const said = ({ of }: Identities, shard: number) => {
  const heard: unknown[] = [];
  of(shard).subscribe({
    next: ids => heard.push([...ids]),
    error: (error: unknown) => heard.push(String(error)),
  });
  return heard;
};

describe('the identities of a fleet', () => {
  it('are those of each shard in a list, all of them each time', () => {
    const lists$ = new Subject<readonly string[]>();
    const identities = listedIdentities(lists$, 4);
    const heard = [0, 1, 2, 3].map(shard => said(identities, shard));
    lists$.next(['a', 'b', 'c']);
    lists$.next(['b']);
    for (const shard of [0, 1, 2, 3])
      deepStrictEqual(
        heard[shard],
        [['a', 'b', 'c'], ['b']].map(list => list.filter(id => shardOf(id, 4) === shard)),
      );
  });

  it('are asked for by the shard, and have to be of it', () => {
    const asked: number[] = [];
    const identities = (answer: () => ObservableInput<unknown>) =>
      identitiesByShard(shard => {
        asked.push(shard);
        return answer();
      }, 4);
    const shard = shardOf('a', 4);
    deepStrictEqual(
      said(
        identities(() => of(['a'], ['a', 'a'])),
        shard,
      ),
      [['a'], ['a']],
    );
    const [wrong] = said(
      identities(() => [['a']]),
      (shard + 1) % 4,
    );
    ok(/identitiesOf must be ids whose shardOf is \d; got one of \d/.test(String(wrong)));
    ok(
      String(
        said(
          identities(() => of('a')),
          0,
        )[0],
      ).includes('identitiesOf must be an Observable of lists'),
    );
    const broken = identities(() => {
      throw new RangeError('broken');
    });
    deepStrictEqual(said(broken, 0), ['RangeError: broken']);
    deepStrictEqual(asked, [shard, (shard + 1) % 4, 0, 0]);
  });
});
