import { parseArgs } from 'node:util';
import type { Observable } from 'rxjs';
import type { GroupApi, MembersConfig } from '../client/index.js';
import { clientOf } from './client-of.js';
import { CONNECTION } from './connection.js';
import { groupIn } from './group-in.js';
import { run } from './run.js';

/** What a command does with a group. */
export type GroupWork = (group: GroupApi, group_id: string, config: MembersConfig) => Observable<unknown>;

/** Runs a command that is about one group: reads its arguments, and does with the group what `work` says. */
export function runGroup(
  args: readonly string[],
  help: string,
  work: GroupWork,
  kind?: { readonly endless: boolean },
): Promise<void> {
  return run(() => {
    const options = { ...CONNECTION, count: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    if (values.help) return help;
    const { group } = clientOf('group', values, process.env);
    const config = values.count === undefined ? {} : { count: Number(values.count) };
    return work(group, groupIn(positionals), config);
  }, kind);
}
