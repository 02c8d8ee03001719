import { deepStrictEqual, strictEqual } from 'node:assert';
import { KnownMembers } from '../../../src/client/group/known-members.js';
import { handle } from '../../payload.js';

/** A page of members; those in small letters fail to decode. */
const page = (ids: string) => {
  const member = (id: string) => ({ identity: { ...handle, identity_id: id.toUpperCase() } });
  const [members, malformed] = [ids.replace(/[a-z]/g, ''), ids.replace(/[A-Z]/g, '')];
  return {
    members: Array.from(members, member),
    malformed: Array.from(malformed, id => ({ identity_id: id.toUpperCase(), raw: id, errors: [] })),
  };
};
const idsOf = (known: KnownMembers) => {
  const { members, malformed } = known.list();
  const ids = [...members.map(member => member.identity.identity_id), ...malformed.map(({ raw }) => raw)];
  return ids.sort().join('');
};

describe('the known members of a group', () => {
  it('are complete once the whole group has been seen, at one time or page by page', () => {
    const [atOnce, paged] = [new KnownMembers(), new KnownMembers()];
    paged.add(page('AB'));
    strictEqual(paged.isComplete, false);
    paged.refresh([page('ABC')]);
    atOnce.replaceAll(page('ABC'));
    deepStrictEqual([atOnce.isComplete, paged.isComplete, idsOf(paged)], [true, true, 'ABC']);
  });

  it('lose a missing member at once if the whole group was seen at one time', () => {
    const known = new KnownMembers();
    known.replaceAll(page('ABC'));
    known.replaceAll(page('BD'));
    deepStrictEqual([idsOf(known), known.isMissing], ['BD', false]);
  });

  it('keep a member that a refresh misses, until three refreshes in a row miss them', () => {
    const known = new KnownMembers();
    known.refresh([page('AB')]);
    for (const ids of ['AB', 'AB', 'A']) {
      known.refresh([page('A')]);
      strictEqual(idsOf(known), ids);
    }
    strictEqual(known.isMissing, false);
  });

  it('forget that somebody was missing as soon as they are seen', () => {
    const known = new KnownMembers();
    known.refresh([page('AB')]);
    known.refresh([page('A')]);
    known.refresh([page('A')]);
    known.add(page('B'));
    known.refresh([page('A')]);
    deepStrictEqual([known.isMissing, idsOf(known)], [true, 'AB']);
  });

  it('are still members when they fail to decode, as last seen, until they have left', () => {
    const known = new KnownMembers();
    known.replaceAll(page('ABc'));
    known.add(page('b'));
    strictEqual(idsOf(known), 'ABbc');
    known.refresh([page('A'), page('C')]);
    deepStrictEqual([known.isMissing, idsOf(known)], [true, 'ABCb']);
    for (let i = 0; i < 2; i++) known.refresh([page('A'), page('C')]);
    strictEqual(idsOf(known), 'AC');
    known.replaceAll(page('a'));
    strictEqual(idsOf(known), 'Aa');
  });
});
