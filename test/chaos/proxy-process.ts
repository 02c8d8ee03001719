import { answerOf, freeze, spawn } from './child.js';
import type { FromProxy, SeenRequest, ToProxy } from './messages.js';
import type { RouteMode } from './route.js';

/** The proxies between the followers and the service. */
export interface ProxyProcesses {
  /** The ports of their routes. */
  readonly ports: readonly number[];
  /** Makes half of the routes fail, each in its own way, for so many ms. */
  readonly fail: (ms: number) => Promise<void>;
  /** All requests so far, and the number of open connections. */
  readonly report: () => Promise<{ readonly seen: readonly SeenRequest[]; readonly sockets: number }>;
  readonly stop: () => void;
}

type Answer<K extends FromProxy['kind']> = Extract<FromProxy, { kind: K }>;

/** How routes fail. As many others stay open, and fail in the next outage. */
const FAILURES: readonly RouteMode[] = ['silent', 504, 'closed', 204, 502, 'garbled'];

/**
 * What a frozen process does not accept waits, up to a limit: few enough that some connections are
 * not made.
 */
const BACKLOG = { answering: 511, frozen: 4 } as const;

export async function startProxies(to: number): Promise<ProxyProcesses> {
  const children = { answering: spawn('proxy'), frozen: spawn('proxy') };
  const ask = <K extends FromProxy['kind']>(
    name: keyof typeof children,
    message: ToProxy,
  ): Promise<Answer<K>> => {
    const answered = answerOf<Answer<K>>(children[name]);
    children[name].send(message);
    return answered;
  };
  const start = (name: keyof typeof children, count: number) =>
    ask<'started'>(name, { kind: 'start', to, count, backlog: BACKLOG[name] });
  const [answering, frozen] = await Promise.all([
    start('answering', 2 * FAILURES.length),
    start('frozen', 1),
  ]);
  let outages = 0;
  return {
    ports: [...answering.ports, ...frozen.ports],
    fail: async ms => {
      const open = FAILURES.map((): RouteMode => 'open');
      const modes = outages++ % 2 === 0 ? [...FAILURES, ...open] : [...open, ...FAILURES];
      await ask<'done'>('answering', { kind: 'set', modes });
      await freeze(children.frozen, ms);
      await ask<'done'>('answering', { kind: 'set', modes: [] });
    },
    report: async () => {
      const reports = await Promise.all([
        ask<'report'>('answering', { kind: 'report' }),
        ask<'report'>('frozen', { kind: 'report' }),
      ]);
      return {
        seen: reports.flatMap(({ seen }) => seen),
        sockets: reports.reduce((all, { sockets }) => all + sockets, 0),
      };
    },
    stop: () => Object.values(children).forEach(child => child.kill('SIGKILL')),
  };
}
