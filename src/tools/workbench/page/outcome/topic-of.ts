import type { WorldView } from '../../world-view.js';

/** The topic of a path, in words. A group appears by its name. */
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
