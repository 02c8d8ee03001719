import {
  cursorArgument,
  GroupMemberList,
  IdentityEventList,
  jsonHash,
  nonEmptyString,
  positiveInteger,
  RawEventList,
  ServiceOk,
  struct,
  textHash,
} from '../protocol/index.js';
import { endpoint, type Endpoint } from './endpoint.js';

/** The input of `group.getMembers` (docs/the-service.md, 4.1). */
export interface GetMembersInput {
  readonly group_id: string;
  /** The `anchor` of the previous page. Omit it for the first page. */
  readonly anchor?: string | null | undefined;
  /**
   * The number of members per page. Default: chosen by the service (16 was observed). Some servers
   * ignore it.
   */
  readonly count?: number | null | undefined;
  /**
   * The `watch.index` of an earlier answer. With it, the service answers once something has
   * changed.
   */
  readonly watch_index?: string | null | undefined;
}

/**
 * group.getMembers: returns one page of a group's members (docs/the-service.md, 4.1).
 *
 * @example
 * client.request(getMembers, { group_id }).subscribe(({ members }) => show(members));
 */
export const getMembers: Endpoint<GetMembersInput, GroupMemberList, 'GET'> = endpoint({
  method: 'GET',
  service: 'group',
  path: '/v1/groups/{group_id}/members',
  query: struct(
    'GetMembersQuery',
    {},
    { anchor: cursorArgument, count: positiveInteger, watch_index: cursorArgument },
  ),
  response: GroupMemberList,
  isState: true,
  keyOf: keyOfMembers,
});

/**
 * A key of all members on a page, as they came. Their order does not count, since the service does
 * not specify one.
 */
export function keyOfMembers({ members, malformed = [] }: GroupMemberList): number {
  const all = [...members, ...malformed.map(({ raw }) => raw)];
  return jsonHash(all.map(member => jsonHash(member)).sort((a, b) => a - b));
}

/** The input of `players.connected` and `players.disconnected` (docs/the-service.md, 4.2). */
export interface PlayerTokenInput {
  /** The token that the player received with the lobby join. It is opaque, and for one use. */
  readonly player_token: string;
}

/**
 * matchmaker.players.connected: confirms a player's token (docs/the-service.md, 4.2). It is not
 * idempotent, so an error after which the player may be counted is not retryable.
 *
 * @example
 * client.request(playersConnected, { player_token }).subscribe(() => admit());
 */
export const playersConnected: Endpoint<PlayerTokenInput, void, 'POST'> = endpoint({
  method: 'POST',
  service: 'matchmaker',
  path: '/v1/players/connected',
  body: struct('PlayersConnectedBody', { player_token: nonEmptyString }),
  response: ServiceOk,
  isRepeatable: false,
});

/**
 * matchmaker.players.disconnected: frees a player's slot. It exists on deployed servers, but not in
 * the interface document.
 *
 * @example
 * client.request(playersDisconnected, { player_token }).subscribe();
 */
export const playersDisconnected: Endpoint<PlayerTokenInput, void, 'POST'> = endpoint({
  method: 'POST',
  service: 'matchmaker',
  path: '/v1/players/disconnected',
  body: struct('PlayersDisconnectedBody', { player_token: nonEmptyString }),
  response: ServiceOk,
});

/** The input of `events.watch` (docs/the-service.md, 4.3). */
export interface EventsWatchInput {
  /**
   * The `watch.index` of an earlier answer. With it, the service answers once there are newer
   * events. Omit it to start from now.
   */
  readonly watch_index?: string | null | undefined;
}

/**
 * events.watch: returns the events addressed to the caller's identity (docs/the-service.md, 4.3).
 *
 * @example
 * client.request(eventsWatch, { watch_index }).subscribe(({ events }) => show(events));
 */
export const eventsWatch: Endpoint<EventsWatchInput, IdentityEventList, 'GET'> = endpoint({
  method: 'GET',
  service: 'api',
  path: '/identity/events/live',
  query: struct('EventsWatchQuery', {}, { watch_index: cursorArgument }),
  response: IdentityEventList,
  isEmpty: ({ events }) => events.length === 0,
  withoutNews: list => ({ ...list, events: [] }),
  // Events carry their time. So an event that comes again under another index was sent again.
  keyOf: answerKey,
});

/**
 * A hash of an answer's text without its `watch`, which changes even if the data does not. Answers
 * with the same key have the same text, for all practical purposes. The text itself need not be
 * kept.
 */
export function answerKey(answer: unknown, text?: string): number {
  if (text === undefined) return jsonHash(answer, ['watch']);
  if (text === '') return 0;
  const start = text.lastIndexOf('"watch"');
  if (start >= 0 && WATCH_AT_END.test(text.slice(start))) return textHash(text.slice(0, start));
  const head = WATCH_AT_START.exec(text);
  return head ? textHash(text.slice(head[0].length)) : jsonHash(JSON.parse(text), ['watch']);
}

/** Only the end of the answer itself may follow, so that the match is no part of an event. */
const WATCH_AT_END = /^"watch"\s*:\s*\{[^{}]*\}\s*\}\s*$/;
const WATCH_AT_START = /^\s*\{\s*"watch"\s*:\s*\{[^{}]*\}/;

/**
 * events.watch, with the events as the service sent them. They can be stored, and decoded elsewhere
 * with `IdentityEventList`.
 *
 * @example
 * client.watch(rawEventsWatch, {}).subscribe(({ events }) => store(JSON.stringify(events)));
 */
export const rawEventsWatch: Endpoint<EventsWatchInput, RawEventList, 'GET'> = {
  ...eventsWatch,
  response: RawEventList,
};

/**
 * The built-in endpoints. `createClient({ endpoints })` can replace each of them with one of the
 * same type.
 */
export interface Endpoints {
  readonly getMembers: Endpoint<GetMembersInput, GroupMemberList, 'GET'>;
  readonly playersConnected: Endpoint<PlayerTokenInput, void, 'POST'>;
  readonly playersDisconnected: Endpoint<PlayerTokenInput, void, 'POST'>;
  readonly eventsWatch: Endpoint<EventsWatchInput, IdentityEventList, 'GET'>;
}

export const endpoints: Endpoints = { getMembers, playersConnected, playersDisconnected, eventsWatch };
