import type { WorldView } from '../../world-view.js';

/** The topic of the events of an identity. */
export const LIVE = 'live events';

/** The topic of a path, in words. A group appears by its name. */
export function topicOf(path: string, groups: WorldView['groups'] = []): string {
  const [pathname = ''] = path.split('?');
  if (pathname.endsWith('/identity/events/live')) return LIVE;
  const [, id] = /\/groups\/([^/]+)\/members$/.exec(pathname) ?? [];
  const group = groups.find(({ group_id }) => group_id === id);
  if (group) return `members of ${group.display_name}`;
  return pathname.replace(/[\w-]{24,}/g, id => `${id.slice(0, 8)}…`);
}
