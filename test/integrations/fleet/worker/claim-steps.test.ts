import { deepStrictEqual } from 'node:assert';
import { claimSteps, type ClaimView } from '../../../../src/integrations/fleet/worker/claim-steps.js';

const view = (owner: string | undefined, more: Partial<ClaimView> = {}): ClaimView => ({
  me: 'me',
  owners: ['me'],
  claimOf: shard => ({ shard, owner, epoch: 1 }),
  isStoring: () => false,
  isHeld: () => false,
  mayTakeFrom: () => false,
  ...more,
});
const WAIT = { release: [], claim: [], isSettled: false };
const NOTHING = { ...WAIT, isSettled: true };

describe('the steps of a worker', () => {
  it('claim what is assigned and free, or claimed by itself before', () => {
    deepStrictEqual(claimSteps(view(undefined)).claim, [0]);
    deepStrictEqual(claimSteps(view(undefined, { claimOf: () => undefined })).claim, [0]);
    deepStrictEqual(claimSteps(view('me')).claim, [0]);
    deepStrictEqual(claimSteps(view('me', { isHeld: () => true })), NOTHING);
  });

  it('wait for an owner that is alive, and take from one that is silent', () => {
    deepStrictEqual(claimSteps(view('other')), WAIT);
    deepStrictEqual(claimSteps(view('other', { mayTakeFrom: () => true })).claim, [0]);
  });

  it('release what is assigned to another, also if it only has the claim', () => {
    deepStrictEqual(claimSteps(view('me', { owners: ['other'], isHeld: () => true })).release, [0]);
    deepStrictEqual(claimSteps(view('me', { owners: ['other'] })).release, [0]);
    deepStrictEqual(claimSteps(view('other', { owners: ['other'] })), NOTHING);
  });

  it('do nothing about a shard whose claim is on its way', () => {
    deepStrictEqual(claimSteps(view(undefined, { isStoring: () => true })), WAIT);
    deepStrictEqual(claimSteps(view('me', { owners: ['other'], isStoring: () => true })), WAIT);
  });
});
