import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

/** What the service is told. It replies with what was published `since` then. */
export type ServiceCommand =
  | { readonly do: 'report'; readonly since: number }
  | { readonly do: 'publish'; readonly since: number; readonly count: number; readonly size: number };

/**
 * What it replies: its port at the start, then the number of polls it holds and when batches were
 * published, in ns.
 */
export type ServiceReply =
  { readonly port: number } | { readonly held: number; readonly publishedAt: readonly string[] };

/** A service in a process of its own, so that its CPU time is not the client's. */
export interface ServiceProcess {
  readonly url: string;
  /** Publishes batches of so many events each. Resolves to the number of batches before. */
  publish(count: number, size: number): Promise<number>;
  /** When the batches were published from this number on, in ns. */
  publishedAt(since: number): Promise<readonly bigint[]>;
  /** Resolves when exactly so many polls are held. */
  holds(count: number): Promise<void>;
  stop(): void;
}

export async function startService(): Promise<ServiceProcess> {
  const child = fork(join(import.meta.dirname, 'service.mjs'));
  const { port } = (await replyOf(child)) as { port: number };
  let published = 0;
  const tell = async (command: ServiceCommand) =>
    (await replyOf(child, command)) as { held: number; publishedAt: string[] };
  return {
    url: `http://127.0.0.1:${port}`,
    publish: async (count, size) => {
      const before = published;
      published += count;
      await tell({ do: 'publish', since: published, count, size });
      return before;
    },
    publishedAt: async since => (await tell({ do: 'report', since })).publishedAt.map(BigInt),
    holds: async count => {
      const deadline = Date.now() + 60_000;
      while ((await tell({ do: 'report', since: published })).held !== count) {
        if (Date.now() > deadline) throw new Error(`the service did not come to hold ${count} polls`);
        await new Promise(resolve => setTimeout(resolve, 2));
      }
    },
    stop: () => child.disconnect(),
  };
}

/** What a process says next, after a command if there is one. Rejects if it ends instead. */
export function replyOf(child: ChildProcess, command?: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`a measured process ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', reply => {
      child.off('exit', onExit);
      resolve(reply);
    });
    if (command) child.send(command);
  });
}
