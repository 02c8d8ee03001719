import { deepStrictEqual, ok, throws } from 'node:assert';
import { identities, InputError, type LiveEvent, type Profile } from 'lobby-rx';
import { map } from 'rxjs';
import { marbles } from '../marbles.js';
import { profile } from '../payload.js';

type Update = Extract<LiveEvent, { kind: 'identity_update' }>;
const update = (identity_id: string, display_name: string): Update => ({
  kind: 'identity_update',
  ts: 'now',
  identity: { ...profile, identity_id, display_name },
});
const names = (known: ReadonlyMap<string, Profile>) =>
  [...known.values()].map(({ display_name }) => display_name).join('+');

describe('identities', () => {
  it(
    'are the latest profiles, starting with none; the oldest is dropped first if there are too many',
    marbles(({ hot, expectObservable }) => {
      const identityUpdate$ = hot('-a-b-c-d', {
        a: update('1', 'Ada'),
        b: update('2', 'Grace'),
        c: update('1', 'Ada L.'),
        d: update('3', 'Hedy'),
      });
      const names$ = identities({ identityUpdate$ }, { max: 2 }).pipe(map(names));
      expectObservable(names$, '--------!').toBe('0a-b-c-d', {
        ...{ 0: '', a: 'Ada', b: 'Ada+Grace', c: 'Grace+Ada L.', d: 'Ada L.+Hedy' },
      });
    }),
  );

  it(
    'are a new map each time, so that a store notices the change',
    marbles(({ hot, expectObservable, flush }) => {
      const seen: ReadonlyMap<string, Profile>[] = [];
      const identityUpdate$ = hot('-a-b', { a: update('1', 'Ada'), b: update('2', 'Grace') });
      expectObservable(identities({ identityUpdate$ }).pipe(map(known => seen.push(known))), '----!');
      flush();
      ok(seen[0] !== seen[1] && seen[1] !== seen[2]);
      deepStrictEqual(
        seen.map(({ size }) => size),
        [0, 1, 2],
      );
    }),
  );

  it('refuse a limit of zero', () => {
    throws(() => identities({ identityUpdate$: undefined as never }, { max: 0 }), InputError);
  });
});
