import { concat, defer, map, NEVER, of, shareReplay, type Observable, type ObservableInput } from 'rxjs';
import { checkArgument, InputError, isWellFormed, nonEmptyString, type Guard } from '../../../error/index.js';
import { flattened } from '../../../stream/index.js';
import { numberOf, shardOf } from './assign-shards.js';
import type { GivenIdentities } from './fleet-registry.js';

/** The id of an identity, which is a part of a subject. */
export const identityId: Guard<string> = {
  name: 'the id of an identity: a string of 1 to 256 characters',
  is: (u): u is string => nonEmptyString.is(u) && u.length <= 256 && isWellFormed(u),
};

/** Provides the identities that a fleet is to follow. */
export interface Identities {
  /**
   * Emits once a worker knows its identities. Errors if their list is invalid, or errors itself.
   */
  readonly known$: Observable<unknown>;
  /** Describes the last list. `undefined` if the worker uses `identitiesOf(shard)`. */
  readonly given: () => GivenIdentities | undefined;
  /** Emits the identities of a shard, all of them each time. */
  readonly of: (shard: number) => Observable<ReadonlySet<string>>;
}

/** The check excludes strings, because JavaScript can iterate over the letters of a string. */
const listOfIds: Guard<Iterable<string>> = {
  name: 'an Observable of lists of ids: of([id, id])',
  is: (u): u is Iterable<string> => typeof u === 'object' && u !== null && Symbol.iterator in u,
};

const NONE: ReadonlySet<string> = new Set();

/** Identities for workers that all have the whole list. */
export function listedIdentities(lists$: ObservableInput<unknown>, shards: number): Identities {
  let given: GivenIdentities | undefined;
  const known$ = flattened(lists$).pipe(
    map(list => {
      const byShard = new Map<number, Set<string>>();
      for (const identity_id of checkArgument('identities$', listOfIds, list)) {
        const shard = shardOf(checkArgument('identities$', identityId, identity_id), shards);
        const ids = byShard.get(shard) ?? new Set();
        byShard.set(shard, ids.add(identity_id));
      }
      const all = [...byShard.values()].flatMap(ids => [...ids]);
      // The order of the list does not matter.
      const hash = all.reduce((sum, identity_id) => (sum + numberOf(identity_id)) >>> 0, 0);
      given = { count: all.length, hash };
      return byShard;
    }),
    shareReplay({ bufferSize: 1, refCount: true }),
  );
  const of = (shard: number) => known$.pipe(map(byShard => byShard.get(shard) ?? NONE));
  return { known$, of, given: () => given };
}

/** Identities that a worker asks for shard by shard, so that no worker has to know all of them. */
export function identitiesByShard(
  identitiesOf: (shard: number) => ObservableInput<unknown>,
  shards: number,
): Identities {
  const checked = (shard: number, list: unknown) => {
    const identities = new Set<string>();
    for (const identity_id of checkArgument('identitiesOf', listOfIds, list)) {
      const own = shardOf(checkArgument('identitiesOf', identityId, identity_id), shards);
      if (own !== shard)
        throw new InputError('identitiesOf', `ids whose shardOf is ${shard}`, `one of ${own}`);
      identities.add(identity_id);
    }
    return identities;
  };
  return {
    known$: concat(of(true), NEVER),
    given: () => undefined,
    of: shard => defer(() => flattened(identitiesOf(shard))).pipe(map(list => checked(shard, list))),
  };
}
