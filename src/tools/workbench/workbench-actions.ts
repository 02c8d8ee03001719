import { Subject, type SchedulerLike } from 'rxjs';
import type {
  Control,
  ControlResult,
  EmulatedResponse,
  Emulator,
  Fault,
  WorldRecords,
} from '../emulator/index.js';
import { breakNamed, breakNameIn, callsOf, type Break } from './breaks.js';
import type { Causes, Cut } from './request-log.js';
import { withoutTokens } from './without-tokens.js';
import type { SeenAction } from './world-view.js';

/** How many actions are remembered. */
const MAX_ACTIONS = 100;

const RESET: EmulatedResponse = { status: 0, headers: {}, body: '', delivery: 'reset_before_headers' };

/** Runs typed lines and remembers them. A line is a command of the emulator, or `break NAME`. */
export class WorkbenchActions implements Causes {
  /** Emits the answer to all polls that are held. */
  readonly cut$ = new Subject<Cut>();
  readonly #scheduler: SchedulerLike;
  readonly #list: SeenAction[] = [];
  readonly #withdrawals = new Set<() => void>();
  /** The action that planned the last fault of each kind, and that let each token expire. */
  readonly #faultCauses = new Map<string, number | undefined>();
  readonly #expiryCauses = new Map<unknown, number | undefined>();
  /** The action that is being performed. A program may call the emulator without any. */
  #running: number | undefined;
  /** The number of the last action. */
  #count = 0;
  /** The arguments of all calls of the emulator since the action began. */
  #called: unknown[] = [];

  constructor(scheduler: SchedulerLike) {
    this.#scheduler = scheduler;
  }

  get list(): readonly SeenAction[] {
    return this.#list;
  }

  readonly called = (name: string, fields: readonly unknown[]): void => {
    this.#called.push(...fields);
    const [first] = fields;
    if (name === 'fault') this.#faultCauses.set((first as Fault).kind, this.#running);
    if (name === 'expireToken') this.#expiryCauses.set(first, this.#running);
  };

  readonly ofFault = (kind: string): number | undefined => this.#faultCauses.get(kind);

  readonly ofExpiry = (token: string | undefined): number | undefined => this.#expiryCauses.get(token);

  /**
   * The same commands and `break`. Each line is remembered. `self` is the identity on which a
   * command acts that names none.
   */
  observed(control: Control, emulator: Emulator, self: string): Control {
    const remembered = (line: string, act: () => ControlResult, broken?: Break): ControlResult => {
      const at = this.#scheduler.now();
      const { records } = emulator;
      const after = records.tick;
      this.#called = [];
      this.#running = ++this.#count;
      const id = this.#running;
      let result: ControlResult;
      try {
        result = act();
      } finally {
        this.#running = undefined;
      }
      if (result.message === control.help || line === 'state') return result;
      this.#list.push({
        id,
        line: withoutTokens(line),
        ...(broken && { calls: callsOf(broken) }),
        who_id: actedOn(this.#called, records) ?? self,
        at,
        after,
        until: records.tick,
      });
      this.#list.splice(0, this.#list.length - MAX_ACTIONS);
      return result;
    };
    const type = (line: string): ControlResult => {
      if (/^fault\s+off\b/.test(line)) this.#withdraw();
      const name = breakNameIn(line);
      if (name === undefined) return remembered(line, () => control.type(line));
      const broken = breakNamed(name);
      return remembered(line, () => this.#break(name, broken, emulator), broken);
    };
    return {
      commands: control.commands,
      help: control.help,
      type,
      run: (name, fields = {}) => {
        const words = Object.entries(fields).map(([field, value]) => `${field}=${JSON.stringify(value)}`);
        return remembered([name, ...words].join(' '), () => control.run(name, fields));
      },
    };
  }

  #break(name: string, { lasts, faults, held = RESET }: Break, emulator: Emulator): ControlResult {
    for (const { kind, times } of faults) {
      const withdraw = emulator.fault({ kind } as Fault, { times });
      this.#withdrawals.add(withdraw);
      if (lasts === undefined) continue;
      this.#scheduler.schedule(() => {
        if (this.#withdrawals.delete(withdraw)) withdraw();
      }, lasts);
    }
    this.cut$.next({ name, response: held, cause: this.#count });
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
