type Fields = Record<string, unknown>;

/**
 * The event list with the fields that lobby-rx checks, checked as one writes it without any
 * library.
 */
export function isEventList(u: unknown): boolean {
  return isFields(u) && isListOf(u.events, isEvent) && isFields(u.watch) && isText(u.watch.index);
}

const isText = (u: unknown) => typeof u === 'string';
const isBoolean = (u: unknown) => typeof u === 'boolean';
const isInteger = (u: unknown) => Number.isInteger(u);
const isFields = (u: unknown): u is Fields => typeof u === 'object' && u !== null && !Array.isArray(u);
const isListOf = (u: unknown, is: (u: unknown) => boolean) => Array.isArray(u) && u.every(is);
const isMissing = (u: unknown) => u === undefined || u === null;
const isTextOrMissing = (u: unknown) => isMissing(u) || isText(u);
const isBooleanOrMissing = (u: unknown) => isMissing(u) || isBoolean(u);

function isEvent(u: unknown): boolean {
  if (!isFields(u) || !isText(u.ts) || !isFields(u.kind)) return false;
  const { identity_update: update, matchmaker_lobby_join: join } = u.kind;
  return (
    (isMissing(update) || (isFields(update) && isProfile(update.identity))) &&
    (isMissing(join) || isLobbyJoin(join)) &&
    (isMissing(u.notification) || isNotification(u.notification))
  );
}

function isNotification(u: unknown): boolean {
  return isFields(u) && isText(u.title) && isText(u.description) && isText(u.thumbnail_url) && isText(u.url);
}

function isProfile(u: unknown): boolean {
  return (
    isFields(u) &&
    isText(u.identity_id) &&
    isText(u.display_name) &&
    isInteger(u.account_number) &&
    isText(u.avatar_url) &&
    isText(u.bio) &&
    isText(u.join_ts) &&
    isFields(u.external) &&
    isText(u.external.profile) &&
    isTextOrMissing(u.external.settings) &&
    isBoolean(u.is_registered) &&
    isBoolean(u.is_admin) &&
    isBoolean(u.following) &&
    isBoolean(u.is_following_me) &&
    isBoolean(u.is_mutual_following) &&
    isInteger(u.follower_count) &&
    isInteger(u.following_count) &&
    isListOf(u.games, isProfileGame) &&
    isListOf(u.groups, isProfileGroup) &&
    isListOf(u.linked_accounts, isLinkedAccount) &&
    isBooleanOrMissing(u.awaiting_deletion) &&
    isBooleanOrMissing(u.is_game_linked) &&
    (isMissing(u.presence) || isPresence(u.presence))
  );
}

function isPresence(u: unknown): boolean {
  return (
    isFields(u) &&
    isText(u.status) &&
    isText(u.update_ts) &&
    (isMissing(u.game_activity) || isActivity(u.game_activity))
  );
}

function isActivity(u: unknown): boolean {
  return (
    isFields(u) &&
    isGame(u.game) &&
    isText(u.message) &&
    (isMissing(u.mutual_metadata) || isFields(u.mutual_metadata)) &&
    (isMissing(u.public_metadata) || isFields(u.public_metadata))
  );
}

function isGame(u: unknown): boolean {
  return (
    isFields(u) &&
    isText(u.game_id) &&
    isText(u.name_id) &&
    isText(u.display_name) &&
    isTextOrMissing(u.banner_url) &&
    isTextOrMissing(u.logo_url)
  );
}

function isProfileGame(u: unknown): boolean {
  return isFields(u) && isGame(u.game) && isListOf(u.stats, isStat);
}

function isStat(u: unknown): boolean {
  return isFields(u) && typeof u.overall_value === 'number' && isStatConfig(u.config);
}

function isStatConfig(u: unknown): boolean {
  return (
    isFields(u) &&
    isText(u.record_id) &&
    isText(u.icon_id) &&
    isText(u.display_name) &&
    isText(u.aggregation) &&
    isText(u.format) &&
    isText(u.sorting) &&
    isInteger(u.priority) &&
    isTextOrMissing(u.prefix_singular) &&
    isTextOrMissing(u.prefix_plural) &&
    isTextOrMissing(u.postfix_singular) &&
    isTextOrMissing(u.postfix_plural)
  );
}

function isProfileGroup(u: unknown): boolean {
  if (!isFields(u) || !isFields(u.group)) return false;
  const { group_id, display_name, external, avatar_url, is_developer } = u.group;
  return (
    isText(group_id) &&
    isText(display_name) &&
    isFields(external) &&
    isText(external.profile) &&
    isTextOrMissing(avatar_url) &&
    isBooleanOrMissing(is_developer)
  );
}

function isLinkedAccount(u: unknown): boolean {
  return (
    isFields(u) &&
    (isMissing(u.access_token) || (isFields(u.access_token) && isText(u.access_token.name))) &&
    (isMissing(u.email) || (isFields(u.email) && isText(u.email.email)))
  );
}

function isLobbyJoin(u: unknown): boolean {
  if (!isFields(u) || !isFields(u.lobby) || !isFields(u.player) || !isFields(u.ports)) return false;
  const { lobby_id, region } = u.lobby;
  return (
    isText(lobby_id) &&
    isFields(region) &&
    isText(region.region_id) &&
    isText(region.display_name) &&
    isText(u.player.token) &&
    Object.values(u.ports).every(isPort)
  );
}

function isPort(u: unknown): boolean {
  return (
    isFields(u) &&
    isText(u.hostname) &&
    isBoolean(u.is_tls) &&
    isTextOrMissing(u.host) &&
    (isMissing(u.port) || isInteger(u.port)) &&
    (isMissing(u.port_range) ||
      (isFields(u.port_range) && isInteger(u.port_range.min) && isInteger(u.port_range.max)))
  );
}

/** The list of members, likewise. */
export function isMemberList(u: unknown): boolean {
  return (
    isFields(u) &&
    isListOf(u.members, member => isFields(member) && isHandle(member.identity)) &&
    isFields(u.watch) &&
    isText(u.watch.index)
  );
}

function isHandle(u: unknown): boolean {
  return (
    isFields(u) &&
    isText(u.identity_id) &&
    isText(u.display_name) &&
    isInteger(u.account_number) &&
    isText(u.avatar_url) &&
    isFields(u.external) &&
    (isMissing(u.presence) || isFields(u.presence))
  );
}
