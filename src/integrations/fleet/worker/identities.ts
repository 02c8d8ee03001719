import {
  concat,
  defer,
  from,
  map,
  NEVER,
  of,
  shareReplay,
  type Observable,
  type ObservableInput,
} from 'rxjs';
import { checkArgument, InputError, type Guard } from '../../../error/index.js';
import { numberOf, shardOf } from './assign-shards.js';
import type { GivenIdentities } from './fleet-registry.js';

/** The identities that a fleet is to follow. */
export interface Identities {
  /** Emits once a worker knows what it is to follow, and errors if it cannot. */
  readonly known$: Observable<unknown>;
  /** What has been given last, if all of them are given. */
  readonly given: () => GivenIdentities | undefined;
  /** Emits those of a shard: all of them each time. */
  readonly of: (shard: number) => Observable<ReadonlySet<string>>;
}

/** A text is a list of its letters, for JavaScript. */
const listOfIds: Guard<Iterable<string>> = {
  name: 'an Observable of lists of ids: of([id, id])',
  is: (u): u is Iterable<string> => typeof u === 'object' && u !== null && Symbol.iterator in u,
};

const NONE: ReadonlySet<string> = new Set();

/** Identities of which every worker has the whole list. */
export function listedIdentities(
  lists$: ObservableInput<unknown>,
  shards: number,
  id: Guard<string>,
): Identities {
  let given: GivenIdentities | undefined;
  const known$ = from(lists$).pipe(
    map(list => {
      const byShard = new Map<number, Set<string>>();
      for (const identity_id of checkArgument('identities$', listOfIds, list)) {
        const shard = shardOf(checkArgument('identities$', id, identity_id), shards);
        byShard.set(shard, (byShard.get(shard) ?? new Set()).add(identity_id));
      }
      const all = [...byShard.values()].flatMap(ids => [...ids]);
      // Whatever the order.
      const hash = all.reduce((sum, identity_id) => (sum + numberOf(identity_id)) >>> 0, 0);
      given = { count: all.length, hash };
      return byShard;
    }),
    shareReplay({ bufferSize: 1, refCount: true }),
  );
  const of = (shard: number) => known$.pipe(map(byShard => byShard.get(shard) ?? NONE));
  return { known$, of, given: () => given };
}

/** Identities that a worker asks for by the shard, so that none has to know all of them. */
export function identitiesByShard(
  identitiesOf: (shard: number) => ObservableInput<unknown>,
  shards: number,
  id: Guard<string>,
): Identities {
  const checked = (shard: number, list: unknown) => {
    const identities = new Set<string>();
    for (const identity_id of checkArgument('identities', listOfIds, list)) {
      const its = shardOf(checkArgument('identities', id, identity_id), shards);
      if (its !== shard) throw new InputError('identities', `ids whose shardOf is ${shard}`, `one of ${its}`);
      identities.add(identity_id);
    }
    return identities;
  };
  return {
    known$: concat(of(true), NEVER),
    given: () => undefined,
    of: shard => defer(() => identitiesOf(shard)).pipe(map(list => checked(shard, list))),
  };
}
