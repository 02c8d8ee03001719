import {
  Acknowledged,
  cursorArgument,
  GroupMemberList,
  IdentityEventList,
  nonEmptyString,
  positiveInteger,
  struct,
} from '../protocol/index.js';
import { endpoint, type Endpoint } from './endpoint.js';

/** What `group.getMembers` takes (interface document, 4.1). */
export interface GetMembersInput {
  readonly group_id: string;
  /** The `anchor` of the page before; leave it out for the first page. */
  readonly anchor?: string | null | undefined;
  /** How many members a page has. Default: the service's own (16 was seen). Some servers ignore it. */
  readonly count?: number | null | undefined;
  /** The `watch.index` of an earlier answer: the service then answers when something is new. */
  readonly watch_index?: string | null | undefined;
}

/** group.getMembers: one page of a group's members (interface document, 4.1). */
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
});

/** What `players.connected` and `players.disconnected` take (interface document, 4.2). */
export interface PlayerTokenInput {
  /** The token that the player was given with the lobby: opaque, good for one use. */
  readonly player_token: string;
}

/** matchmaker.players.connected: confirms a player's token (interface document, 4.2). Not idempotent. */
export const playersConnected: Endpoint<PlayerTokenInput, void, 'POST'> = endpoint({
  method: 'POST',
  service: 'matchmaker',
  path: '/v1/players/connected',
  body: struct('PlayersConnectedBody', { player_token: nonEmptyString }),
  response: Acknowledged,
});

/** matchmaker.players.disconnected: frees a player's slot. Deployed servers have it; the interface document does not. */
export const playersDisconnected: Endpoint<PlayerTokenInput, void, 'POST'> = endpoint({
  method: 'POST',
  service: 'matchmaker',
  path: '/v1/players/disconnected',
  body: struct('PlayersDisconnectedBody', { player_token: nonEmptyString }),
  response: Acknowledged,
});

/** What `events.watch` takes (interface document, 4.3). */
export interface EventsWatchInput {
  /** The `watch.index` of an earlier answer: the service then answers when there are events. Without one, it begins now. */
  readonly watch_index?: string | null | undefined;
}

/** events.watch: the events addressed to the caller's identity (interface document, 4.3). */
export const eventsWatch: Endpoint<EventsWatchInput, IdentityEventList, 'GET'> = endpoint({
  method: 'GET',
  service: 'api',
  path: '/identity/events/live',
  query: struct('EventsWatchQuery', {}, { watch_index: cursorArgument }),
  response: IdentityEventList,
});

/** The service's own endpoints, any of which `createClient({ endpoints })` replaces by one of the same type. */
export interface Endpoints {
  readonly getMembers: Endpoint<GetMembersInput, GroupMemberList, 'GET'>;
  readonly playersConnected: Endpoint<PlayerTokenInput, void, 'POST'>;
  readonly playersDisconnected: Endpoint<PlayerTokenInput, void, 'POST'>;
  readonly eventsWatch: Endpoint<EventsWatchInput, IdentityEventList, 'GET'>;
}

export const endpoints: Endpoints = { getMembers, playersConnected, playersDisconnected, eventsWatch };
