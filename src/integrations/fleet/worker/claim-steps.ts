import type { Claim } from './fleet-roster.js';

/** What a worker knows when it decides which shards to claim and which to release. */
export interface ClaimView {
  readonly me: string;
  /** Whom each shard is assigned to. */
  readonly owners: readonly string[];
  readonly claimOf: (shard: number) => Claim | undefined;
  /** Whether a claim of this worker is on its way. */
  readonly isStoring: (shard: number) => boolean;
  /** Whether this worker follows the identities of a shard. */
  readonly isHeld: (shard: number) => boolean;
  /** Whether this worker may take shards from another that has not released them. */
  readonly mayTakeFrom: (worker: string) => boolean;
}

/** What a worker is to do about its claims. */
export interface ClaimSteps {
  readonly release: readonly number[];
  readonly claim: readonly number[];
  /** Whether this worker holds just what it is assigned. */
  readonly isSettled: boolean;
}

/**
 * Decides which shards to claim and which to release. A shard is claimed once its owner has released it; by force only if the
 * owner is silent. Two workers that come to different results cost polls, but neither lose nor double an event.
 */
export function claimSteps(view: ClaimView): ClaimSteps {
  const { me, owners, claimOf, isStoring, isHeld, mayTakeFrom } = view;
  const release: number[] = [];
  const claim: number[] = [];
  let isSettled = true;
  owners.forEach((assigned, shard) => {
    const owner = claimOf(shard)?.owner;
    // Also what it has claimed or released before, but does not know that it was stored.
    const isMine = isHeld(shard) || owner === me;
    if (assigned === me ? isHeld(shard) : !isMine) return;
    isSettled = false;
    if (isStoring(shard)) return;
    if (assigned !== me) release.push(shard);
    else {
      const isFree = owner === undefined || owner === me;
      if (isFree || mayTakeFrom(owner)) claim.push(shard);
    }
  });
  return { release, claim, isSettled };
}
