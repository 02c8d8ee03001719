import { deepStrictEqual, strictEqual } from 'node:assert';
import { KnownMembers } from '../../../src/client/group/known-members.js';
import { handle } from '../../payload.js';

const members = (ids: string) => Array.from(ids, id => ({ identity: { ...handle, identity_id: id } }));
const idsOf = (known: KnownMembers) =>
  known
    .list()
    .map(({ identity }) => identity.identity_id)
    .sort()
    .join('');

describe('the known members of a group', () => {
  it('are complete once the whole group has been seen, at one time or page by page', () => {
    const [atOnce, paged] = [new KnownMembers(), new KnownMembers()];
    paged.see(members('AB'));
    strictEqual(paged.isComplete, false);
    paged.read(members('ABC'));
    atOnce.seeAll(members('ABC'));
    deepStrictEqual([atOnce.isComplete, paged.isComplete, idsOf(paged)], [true, true, 'ABC']);
  });

  it('are at once without who is missing from a group that was seen at one time', () => {
    const known = new KnownMembers();
    known.seeAll(members('ABC'));
    known.seeAll(members('BD'));
    deepStrictEqual([idsOf(known), known.isMissing], ['BD', false]);
  });

  it('keep who is missing from a reading, until the group was quiet or three readings in a row miss them', () => {
    const known = new KnownMembers();
    known.read(members('ABC'));
    known.read(members('AB'));
    deepStrictEqual([known.dropMissing(false), idsOf(known), known.isMissing], [false, 'ABC', true]);
    strictEqual(known.dropMissing(true), true);
    deepStrictEqual([idsOf(known), known.isMissing], ['AB', false]);
    for (const gone of [false, false, true]) {
      known.read(members('A'));
      strictEqual(known.dropMissing(false), gone);
    }
    strictEqual(idsOf(known), 'A');
  });

  it('forget that somebody was missing as soon as they are seen', () => {
    const known = new KnownMembers();
    known.read(members('AB'));
    known.read(members('A'));
    known.read(members('A'));
    known.see(members('B'));
    known.read(members('A'));
    deepStrictEqual([known.dropMissing(false), idsOf(known)], [false, 'AB']);
  });
});
