import type { ChildProcess } from 'node:child_process';
import { answerOf, endOf, spawn, wait } from './child.js';
import {
  PLANNED_ERROR,
  type FollowerFigures,
  type FollowerName,
  type StartFollower,
  type ToFollower,
} from './messages.js';

/**
 * A consumer, a visitor or a returner. It can be killed at any time, and continues from its
 * journal.
 */
export interface FollowerProcess {
  readonly child: () => ChildProcess;
  readonly kill: () => Promise<void>;
  /** Makes a subscriber throw. Resolves to whether that has ended the process. */
  readonly throwInSubscriber: () => Promise<boolean>;
  /** Asks it to stop. It must exit by itself then: anything that keeps it running is a leak. */
  readonly stop: () => Promise<FollowerFigures & { readonly exit: number | string | null }>;
}

export function startFollower(name: FollowerName, start: StartFollower): FollowerProcess {
  let child: ChildProcess;
  let errors = '';
  const hasThrown = () => errors.includes(PLANNED_ERROR);
  const send = (message: ToFollower) => child.send(message);
  const begin = () => {
    child = spawn(name);
    errors = '';
    child.stderr!.on('data', (text: Buffer) => {
      errors += text.toString();
    });
    // Whatever else it has to say should be seen.
    child.stderr!.once('close', () => hasThrown() || process.stderr.write(errors));
    send(start);
  };
  begin();
  const kill = async () => {
    const gone = endOf(child);
    child.kill('SIGKILL');
    await gone;
    begin();
  };
  return {
    child: () => child,
    kill,
    throwInSubscriber: async () => {
      const gone = Promise.all([endOf(child), new Promise(resolve => child.stderr!.once('close', resolve))]);
      send({ kind: 'throw' });
      const ended = await Promise.race([gone, wait(10_000)]);
      if (!ended) {
        await kill();
        return false;
      }
      const isThrow = ended[0] === 1 && hasThrown();
      begin();
      return isThrow;
    },
    stop: async () => {
      const stopped = answerOf<FollowerFigures>(child);
      const left = endOf(child);
      send({ kind: 'stop' });
      const silent = { kind: 'stopped', heapAtStart: NaN, heapAtEnd: NaN } as const;
      const figures = await Promise.race([stopped, wait(5_000).then(() => silent)]);
      const exit = await Promise.race([left, wait(5_000).then(() => 'still running')]);
      child.kill('SIGKILL');
      return { ...figures, exit };
    },
  };
}
