import type { SeenRequest, WorldView } from '../../world-view.js';

const inSeconds = (ms: number) => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`);

/** With 24 hours, as everywhere in this project. */
export const timeOf = (at: number): string => new Date(at).toLocaleTimeString('en-GB');

/** What became of a request. */
export function inWords({ at, ended_at, status, events, has_news, is_poll, fault }: SeenRequest): string {
  const planned = fault === undefined ? '' : `, by the fault ${fault}`;
  if (ended_at == null) return is_poll ? `waiting${planned}` : `not answered yet${planned}`;
  const after = inSeconds(ended_at - at);
  if (status == null) return `given up by the client after ${after}${planned}`;
  if (status === 0) return `connection lost after ${after}${planned}`;
  if (status !== 200) return `${status} after ${after}${planned || reasonOf(status)}`;
  if (!is_poll) return `answered after ${after}${planned}`;
  const { length } = events;
  const kind = length === 0 ? 'news' : `${length} event${length === 1 ? '' : 's'}`;
  const news = has_news ? `answered with ${kind}` : 'nothing new';
  return `held for ${after}, ${news}${planned}`;
}

function reasonOf(status: number): string {
  if (status === 401) return ': the token was refused';
  if (status === 403) return ': not for this token';
  return status === 404 ? ': there is no such thing' : '';
}

/** What a path is about: a group by its name. */
export function topicOf(path: string, groups: WorldView['groups'] = []): string {
  const [pathname = ''] = path.split('?');
  if (isLive(path)) return 'live events';
  const [, id] = /\/groups\/([^/]+)\/members$/.exec(pathname) ?? [];
  const group = groups.find(({ group_id }) => group_id === id);
  if (group) return `members of ${group.display_name}`;
  return pathname.replace(/[\w-]{24,}/g, id => `${id.slice(0, 8)}…`);
}

/** Whether it is the path of the events of an identity. */
export const isLive = (path: string): boolean => path.split('?')[0]!.endsWith('/identity/events/live');

/** How long an event was on its way. */
export const deliveredAfter = (ms: number): string => `delivered after ${inSeconds(Math.max(0, ms))}`;
