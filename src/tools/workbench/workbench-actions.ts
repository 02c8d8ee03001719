import { Subject, type SchedulerLike } from 'rxjs';
import type { Control, ControlResult, EmulatedResponse, Emulator, WorldRecords } from '../emulator/index.js';
import { InputError } from '../../error/index.js';
import { withoutTokens, type Cut } from './request-log.js';
import type { SeenAction } from './world-view.js';

/** How many actions are remembered. */
const MAX_ACTIONS = 100;

/** The faults by the names that people use. They also hit polls that are held. */
const BREAKS: Readonly<Record<string, Break>> = {
  down: { lasts: 10_000, faults: [['reset_before_request', Infinity]] },
  restart: { lasts: 2_000, faults: [['reset_before_request', Infinity]] },
  proxy: {
    faults: [['html', 2]],
    held: { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad Gateway</h1>' },
  },
  cut: { faults: [] },
  limit: { faults: [['rate_limited', 1]] },
  lose: { faults: [['index_missing', 1]] },
};

interface Break {
  /** How long it lasts, in ms. If `undefined`, each fault happens `times` times. */
  readonly lasts?: number;
  readonly faults: readonly (readonly [kind: string, times: number])[];
  /** The answer to polls that are held. Default: their connections are reset. */
  readonly held?: EmulatedResponse;
}

const RESET: EmulatedResponse = { status: 0, headers: {}, body: '', delivery: 'reset_before_headers' };

/** Runs typed lines and remembers them. A line is a command of the emulator, or `break NAME`. */
export class WorkbenchActions {
  /** Emits the answer to all polls that are held. */
  readonly cut$ = new Subject<Cut>();
  readonly #scheduler: SchedulerLike;
  readonly #list: SeenAction[] = [];
  readonly #withdrawals = new Set<() => void>();
  #count = 0;
  /** The arguments of all calls of the emulator since the action began. */
  #called: unknown[] = [];

  constructor(scheduler: SchedulerLike) {
    this.#scheduler = scheduler;
  }

  get list(): readonly SeenAction[] {
    return this.#list;
  }

  readonly called = (fields: readonly unknown[]): void => {
    this.#called.push(...fields);
  };

  /**
   * The same commands and `break`. Each line is remembered. `self` is the identity on which a
   * command acts that names none.
   */
  observed(control: Control, emulator: Emulator, self: string): Control {
    const remembered = (line: string, act: () => ControlResult): ControlResult => {
      const at = this.#scheduler.now();
      const { records } = emulator;
      const after = records.tick;
      this.#called = [];
      const result = act();
      if (result.message === control.help || line === 'state') return result;
      this.#list.push({
        id: ++this.#count,
        line: withoutTokens(line),
        who_id: actedOn(this.#called, records) ?? self,
        at,
        after,
        until: records.tick,
      });
      this.#list.splice(0, this.#list.length - MAX_ACTIONS);
      return result;
    };
    const type = (line: string) => {
      const [, name] = /^break (\w+)$/.exec(line) ?? [];
      if (/^fault\s+off\b/.test(line)) this.#withdraw();
      return name === undefined ? control.type(line) : this.#break(name, emulator);
    };
    return {
      help: control.help,
      type: line => remembered(line, () => type(line)),
      run: (name, fields = {}) => {
        const words = Object.entries(fields).map(([field, value]) => `${field}=${JSON.stringify(value)}`);
        return remembered([name, ...words].join(' '), () => control.run(name, fields));
      },
    };
  }

  #break(name: string, emulator: Emulator): ControlResult {
    const broken = Object.hasOwn(BREAKS, name) ? BREAKS[name] : undefined;
    if (!broken) throw new InputError('break', Object.keys(BREAKS).join(', '), name);
    const { lasts, faults, held = RESET } = broken;
    for (const [kind, times] of faults) {
      const withdraw = emulator.fault({ kind } as Parameters<Emulator['fault']>[0], { times });
      this.#withdrawals.add(withdraw);
      if (lasts === undefined) continue;
      this.#scheduler.schedule(() => {
        if (this.#withdrawals.delete(withdraw)) withdraw();
      }, lasts);
    }
    this.cut$.next({ name, response: held });
    return { message: lasts === undefined ? 'polls have met it' : `it lasts ${lasts / 1_000} s` };
  }

  #withdraw(): void {
    for (const withdraw of this.#withdrawals) withdraw();
    this.#withdrawals.clear();
  }
}

/** The first identity among the arguments of calls, by its id or by its token. */
function actedOn(fields: readonly unknown[], { identities, bearers }: WorldRecords): string | undefined {
  for (const field of fields) {
    if (typeof field !== 'string') continue;
    const id = identities.has(field) ? field : bearers.get(field)?.id;
    if (id !== undefined) return id;
  }
  return undefined;
}
