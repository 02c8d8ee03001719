import type { ChildProcess } from 'node:child_process';
import type { SavedWorld } from 'lobby-rx/emulator';
import { answerOf, endOf, spawn, wait } from './child.js';
import type { ChaosPlan, FromService, TestIdentity, ToService } from './messages.js';

type Answer<K extends FromService['kind']> = Extract<FromService, { kind: K }>;

/**
 * A restarted service must not issue indexes that a killed one has issued: so much may have passed
 * since its last event.
 */
const TICKS = 1_000;

/**
 * The service, whose state is kept here, so that it can be killed at any time and restarted with
 * it.
 */
export interface ServiceProcess {
  readonly identities: readonly TestIdentity[];
  readonly port: number;
  /** The number of faults of each kind, over all restarts. */
  readonly faults: Readonly<Record<string, number>>;
  readonly child: () => ChildProcess;
  readonly publish: (events: readonly (readonly [string, number])[], repeatFor?: string) => Promise<void>;
  readonly killConnections: () => Promise<void>;
  readonly stopFaults: () => Promise<void>;
  readonly restart: () => Promise<void>;
  readonly sockets: () => Promise<number>;
}

export async function startService(plan: ChaosPlan, seed: number): Promise<ServiceProcess> {
  const faults: Record<string, number> = {};
  let child = spawn('service');
  const ask = <K extends FromService['kind']>(message: ToService): Promise<Answer<K>> => {
    const answered = answerOf<Answer<K>>(child);
    child.send(message);
    return answered;
  };
  const count = async () => {
    const report = await ask<'report'>({ kind: 'report' });
    for (const [kind, times] of Object.entries(report.faults)) faults[kind] = (faults[kind] ?? 0) + times;
  };

  const { saved, port, identities } = await ask<'started'>({ kind: 'start', port: 0, seed, plan });
  const logs = new Map(saved.identities.map(([id, record]) => [id, record.log]));
  /** The latest timestamp from the service. It may be ahead of the clock. */
  let tick = saved.tick;
  let restarts = 0;
  return {
    identities,
    port,
    faults,
    child: () => child,
    publish: async (events, repeatFor) => {
      const repeat = repeatFor === undefined ? {} : { repeatFor };
      const { stamps } = await ask<'published'>({ kind: 'publish', events, ...repeat });
      // Kept as long as the service itself would keep it, or a little longer.
      const oldest = Date.now() - plan.retention - TICKS;
      for (const [i, [identity_id, n]] of events.entries()) {
        const stamp = stamps[i]!;
        tick = Math.max(tick, stamp);
        const log = logs.get(identity_id)!;
        log.push({ stamp, event: { kind: { work: n }, ts: new Date(stamp).toISOString() } });
        while (log[0]!.stamp < oldest) log.shift();
      }
    },
    killConnections: async () => {
      await ask<'done'>({ kind: 'kill_connections' });
    },
    stopFaults: async () => {
      await count();
      await ask<'done'>({ kind: 'stop_faults' });
    },
    restart: async () => {
      await count();
      const gone = endOf(child);
      child.kill('SIGKILL');
      await gone;
      await wait(300);
      child = spawn('service');
      const world: SavedWorld = { ...saved, tick: Math.max(tick, Date.now()) + TICKS };
      await ask<'started'>({ kind: 'start', port, seed: seed + ++restarts, plan, saved: world });
    },
    sockets: async () => (await ask<'report'>({ kind: 'report' })).sockets,
  };
}
