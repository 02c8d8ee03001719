import type { Observable } from 'rxjs';
import type { GroupApi, MembersConfig } from '../../client/index.js';
import { clientOf, CONNECTION_FLAGS } from './connection-flags.js';
import { parseFlags, wholeNumber } from './parse-flags.js';
import { run, type RunConfig } from './run.js';

/** A command on a group. */
export interface GroupCommand extends RunConfig {
  readonly name: string;
  readonly help: string;
  /**
   * The work of the command. `isForPeople` is true if the output goes to a terminal, and not to a
   * program.
   */
  readonly work: (
    group: GroupApi,
    group_id: string,
    config: MembersConfig,
    isForPeople: boolean,
  ) => Observable<unknown>;
}

/**
 * Runs a command that takes one group, `--count` and `--json`. Reads its arguments and calls `work`
 * with them.
 */
export function runGroupCommand(args: readonly string[], command: GroupCommand): Promise<void> {
  const { name, help, work } = command;
  return run(() => {
    const text = { type: 'string' } as const;
    const json = { type: 'boolean', default: false } as const;
    const flags = { ...CONNECTION_FLAGS, 'group-url': text, count: text, json };
    const { values, positionals } = parseFlags(name, args, { flags, takesArguments: true });
    if (values.help) return help;
    const config = values.count === undefined ? {} : { count: wholeNumber('--count', values.count, 1) };
    const { group } = clientOf('group', values);
    return work(group, groupIn(positionals), config, process.stdout.isTTY && !values.json);
  }, command);
}

function groupIn(positionals: readonly string[]): string {
  const [group, ...more] = positionals;
  if (!group) throw new Error('the group is missing: pass its id');
  if (more.length > 0) throw new Error(`only one group can be given; got ${positionals.length}`);
  return group;
}
