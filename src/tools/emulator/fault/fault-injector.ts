import { defer, tap } from 'rxjs';
import { aPlainValue, atOnce, checkOptions, type Options } from '../../../error/index.js';
import { respond, type EmulatedRequest, type Handler, type ServiceSettings } from '../service/index.js';
import { randomNumbers, type World } from '../world/index.js';
import { applyFault, checkFault, type Fault } from './fault.js';

/** Which requests a fault affects. All options are optional. */
export interface FaultPlan {
  /** How many requests it affects. Default 1. With `Infinity`, it lasts until it is withdrawn. */
  readonly times?: number;
  /**
   * The probability for each request, from 0 to 1. The random numbers depend on the emulator's
   * seed. Default 1.
   */
  readonly probability?: number;
  /**
   * Selects the requests to affect. Default: all. Only a fault of the kind `preflight` affects
   * preflights.
   */
  readonly only?: (request: EmulatedRequest) => boolean;
}

const PLAN: Options<FaultPlan> = {
  times: {
    name: 'a whole number of at least 0, or Infinity',
    is: u => u === Infinity || (Number.isSafeInteger(u) && (u as number) >= 0),
  },
  probability: { name: 'a number from 0 to 1', is: u => typeof u === 'number' && u >= 0 && u <= 1 },
  only: { name: 'a function from a request to a boolean', is: u => typeof u === 'function' },
};

/** The number of requests affected by each kind of fault. */
export type FaultCounts = Readonly<Partial<Record<Fault['kind'], number>>>;

/** A service with planned faults. */
export interface FaultInjector {
  readonly handle: Handler;
  /** Plans a fault. The returned function withdraws it. */
  readonly fault: (fault: Fault, plan?: FaultPlan) => () => void;
  readonly faultCounts: FaultCounts;
  /** The faults that are still to come. */
  readonly plannedFaults: () => readonly PlannedFault[];
}

/** A fault that is still to come. */
export interface PlannedFault {
  readonly fault: Fault;
  /** How many more requests it will affect. */
  readonly left: number;
}

interface Plan extends PlannedFault {
  readonly plan: FaultPlan;
  left: number;
}

export function createFaultInjector(world: World, settings: ServiceSettings): FaultInjector {
  const planned = new Set<Plan>();
  const faultCounts: Partial<Record<Fault['kind'], number>> = {};
  const lastEvents = new Map<string | undefined, object>();
  const random = randomNumbers(world.seed);

  /** The fault for a request. Of several that apply, it is the one that was planned first. */
  const faultFor = (request: EmulatedRequest): Fault | undefined => {
    for (const candidate of planned) {
      const { probability = 1, only = () => true } = candidate.plan;
      // Browsers send preflights by themselves. Only one kind of fault affects them.
      if ((request.method === 'OPTIONS') !== (candidate.fault.kind === 'preflight')) continue;
      if (!atOnce('only', only, aPlainValue)(request) || random() >= probability) continue;
      candidate.left--;
      if (candidate.left <= 0) planned.delete(candidate);
      const { fault } = candidate;
      faultCounts[fault.kind] = (faultCounts[fault.kind] ?? 0) + 1;
      return fault;
    }
    return undefined;
  };

  /** The service without faults. It remembers the latest answer with events for each token. */
  const serviceWith =
    (blocking: ServiceSettings): Handler =>
    request =>
      respond(request, world, blocking).pipe(
        tap(({ body }) => {
          if (!body.startsWith('{"events":[{')) return;
          lastEvents.set(request.headers.authorization, JSON.parse(body) as object);
        }),
      );
  const handle = serviceWith(settings);
  const handleHot = serviceWith({ ...settings, blockTime: 0 });

  return {
    handle: request =>
      defer(() => {
        const fault = faultFor(request);
        if (!fault) return handle(request);
        const last = lastEvents.get(request.headers.authorization);
        return applyFault(fault, request, { handle, handleHot, lastEvents: last }, world);
      }),
    fault: (fault, plan = {}) => {
      checkFault(fault);
      checkOptions(plan, PLAN, 'plan');
      const added: Plan = { fault, plan, left: plan.times ?? 1 };
      if (added.left > 0) planned.add(added);
      return () => void planned.delete(added);
    },
    faultCounts,
    plannedFaults: () => [...planned].map(({ fault, left }) => ({ fault, left })),
  };
}
