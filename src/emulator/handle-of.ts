import type { IdentityHandle, Profile } from '../protocol/index.js';

/** A profile in short; what it lacks is null, as in deployed servers' answers. */
export function handleOf(profile: Profile): IdentityHandle {
  const { identity_id, display_name, account_number, avatar_url, is_registered, external, presence } =
    profile;
  return {
    identity_id,
    display_name,
    account_number,
    avatar_url,
    is_registered,
    external: { profile: external.profile, settings: external.settings ?? null },
    presence: presence ?? null,
  };
}
