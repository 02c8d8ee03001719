import { firstValueFrom, map, toArray } from 'rxjs';
import { createClient } from 'lobby-rx';

/** Asks the service for the names of a group's members. */
export function ask(config, group_id) {
  const names$ = createClient(config)
    .group.members(group_id)
    .pipe(
      map(({ identity }) => identity.display_name),
      toArray(),
    );
  return firstValueFrom(names$).then(names => names.sort().join(' and '));
}
