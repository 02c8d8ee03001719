import { checkArgument, nonEmptyString, positiveInteger, type Guard } from '../../../error/index.js';
import type { Emulator } from '../emulator.js';
import { FAULT_FIELDS, type Fault, type FaultPlan } from '../fault/index.js';
import type { Command, Fields } from './command.js';

/** Checks how often a fault happens. */
const aCount: Guard<number> = { ...positiveInteger, name: 'a whole number of at least 1, or always' };

/** The command that plans faults. `fault off` withdraws the faults that it has planned. */
export function faultCommand(emulator: Emulator): Command {
  const withdrawals = new Set<() => void>();
  return {
    summary: 'the next requests fail: x3, always; fault off',
    takes: ['kind', 'status'],
    needs: 1,
    options: ['times', 'probability', 'only', ...FAULT_FIELDS.filter(field => field !== 'status')],
    run: ({ kind, times = 1, probability, only, ...fields }) => {
      if (kind === 'off') {
        for (const withdraw of withdrawals) withdraw();
        withdrawals.clear();
        return { message: 'there are no faults any more' };
      }
      const fault = { kind, ...withNumbers(fields) } as Fault;
      withdrawals.add(emulator.fault(fault, planOf({ times, probability, only })));
      return { message: `${fault.kind} is planned for the next requests`, times };
    },
  };
}

function planOf({ times, probability, only }: Fields): FaultPlan {
  const part = only === undefined ? '' : checkArgument('only', nonEmptyString, only);
  return {
    times: times === 'always' ? Infinity : checkArgument('times', aCount, numberOf(times)),
    ...(probability !== undefined && { probability: numberOf(probability) as number }),
    only: ({ url }) => url.includes(part),
  };
}

const withNumbers = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, numberOf(value)]));

/** A number that was typed, or the value itself. On a command line, a number is a word. */
function numberOf(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}
