import { InputError } from '../../error/index.js';
import type { EmulatedResponse, Fault } from '../emulator/index.js';

/** A fault of the emulator, and how many requests it hits. */
interface BreakFault {
  readonly kind: Fault['kind'];
  readonly times: number;
}

/** A fault under the name that people use. It also hits polls that are held. */
export interface Break {
  /** How long it lasts, in ms. If `undefined`, each fault happens `times` times. */
  readonly lasts?: number;
  readonly faults: readonly BreakFault[];
  /** The answer to polls that are held. Default: their connections are reset. */
  readonly held?: EmulatedResponse;
}

/**
 * The faults of each line `break NAME`. The button for such a line is an entry of
 * `BREAK_ACTIONS` in `page/actions/actions.ts`.
 */
export const BREAKS: Readonly<Record<string, Break>> = {
  down: { lasts: 10_000, faults: [{ kind: 'reset_before_request', times: Infinity }] },
  restart: { lasts: 2_000, faults: [{ kind: 'reset_before_request', times: Infinity }] },
  proxy: {
    faults: [{ kind: 'html', times: 2 }],
    held: { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad Gateway</h1>' },
  },
  cut: { faults: [] },
  limit: { faults: [{ kind: 'rate_limited', times: 1 }] },
  lose: { lasts: 3_000, faults: [{ kind: 'index_missing', times: Infinity }] },
};

/** The name in a line `break NAME`; `undefined` if it is another line. */
export const breakNameIn = (line: string): string | undefined => /^break (\w+)$/.exec(line)?.[1];

/** Throws an `InputError` if there is no such break. */
export function breakNamed(name: string): Break {
  if (!Object.hasOwn(BREAKS, name)) throw new InputError('break', Object.keys(BREAKS).join(', '), name);
  return BREAKS[name]!;
}

/**
 * The calls of a test that do the same as a break. A fault of the emulator does not hit a poll that
 * is held, so an event ends that poll.
 */
export function callsOf({ faults, lasts }: Break): readonly string[] {
  const planned = faults.length > 0 ? faults : [{ kind: 'reset_before_request', times: 1 }];
  const calls = planned.map(({ kind, times }) => {
    const call = `emulator.fault({ kind: '${kind}' }, { times: ${times} })`;
    return lasts === undefined ? `${call};` : `setTimeout(${call}, ${lasts});`;
  });
  return [...calls, "control.type('message Hi'); // ends the poll that is held"];
}
