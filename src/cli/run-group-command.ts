import { parseArgs } from 'node:util';
import type { Observable } from 'rxjs';
import type { GroupApi, MembersConfig } from '../client/index.js';
import { clientOf, CONNECTION } from './connection.js';
import { run, type RunConfig } from './run.js';

/** The work of a command on a group. */
export type GroupWork = (group: GroupApi, group_id: string, config: MembersConfig) => Observable<unknown>;

/** Runs a command that takes one group and `--count`: reads its arguments and calls `work` with them. */
export function runGroupCommand(
  args: readonly string[],
  help: string,
  work: GroupWork,
  config?: RunConfig,
): Promise<void> {
  return run(() => {
    const options = { ...CONNECTION, count: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    if (values.help) return help;
    const { group } = clientOf('group', values, process.env);
    const pageConfig = values.count === undefined ? {} : { count: Number(values.count) };
    return work(group, groupIn(positionals), pageConfig);
  }, config);
}

function groupIn(positionals: readonly string[]): string {
  const [group, ...more] = positionals;
  if (!group) throw new Error('the group is missing: pass its id');
  if (more.length > 0) throw new Error(`only one group can be given; got ${positionals.length}`);
  return group;
}
