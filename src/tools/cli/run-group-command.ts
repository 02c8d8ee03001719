import type { Observable } from 'rxjs';
import type { GroupApi, MembersConfig } from '../../client/index.js';
import { clientOf, CONNECTION_FLAGS } from './connection-flags.js';
import { groupIn, parseFlags, secondsIn, wholeNumber } from './parse-flags.js';
import { run, type RunConfig } from './run.js';

/** What a command on a group is called with. */
export interface GroupCall {
  readonly group: GroupApi;
  readonly group_id: string;
  readonly config: MembersConfig;
  /** Whether the output goes to a terminal, and not to a program. */
  readonly isForPeople: boolean;
  /** How long an endless command tries while the service fails, in ms. By default it never ends. */
  readonly giveUp: number | undefined;
}

/** A command on a group. */
export interface GroupCommand extends RunConfig {
  readonly name: string;
  readonly help: string;
  readonly work: (call: GroupCall) => Observable<unknown>;
}

/**
 * Runs a command that takes one group, `--count` and `--json`. Reads its arguments and calls `work`
 * with them.
 */
export function runGroupCommand(args: readonly string[], command: GroupCommand): Promise<void> {
  const { name, help, work, endless } = command;
  return run(() => {
    const text = { type: 'string' } as const;
    const json = { type: 'boolean', default: false } as const;
    const flags = { ...CONNECTION_FLAGS, 'group-url': text, count: text, 'give-up': text, json };
    const { values, positionals } = parseFlags(name, args, { flags, takesArguments: true });
    if (values.help) return help;
    if (!endless && values['give-up'] !== undefined) throw new Error(`--give-up is only used with watch`);
    return work({
      config: values.count === undefined ? {} : { count: wholeNumber('--count', values.count, 1) },
      isForPeople: process.stdout.isTTY && !values.json,
      giveUp: secondsIn('--give-up', values['give-up']),
      group: clientOf('group', values).group,
      group_id: onlyGroupIn(positionals),
    });
  }, command);
}

function onlyGroupIn(positionals: readonly string[]): string {
  const [group, ...more] = positionals;
  if (!group) throw new Error('the group is missing: pass its id');
  if (more.length > 0) throw new Error(`only one group can be given; got ${positionals.length}`);
  return groupIn('GROUP', group);
}
