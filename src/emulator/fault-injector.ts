import { defer, tap } from 'rxjs';
import { deliveryFault } from './delivery-fault.js';
import { editFault } from './edit-fault.js';
import type { Fault } from './fault.js';
import type { FaultPlan } from './fault-plan.js';
import { habitFault } from './habit-fault.js';
import type { Handler } from './handler.js';
import { insteadFault } from './instead-fault.js';
import { randomNumbers } from './random-numbers.js';
import type { World } from './world.js';

interface Planned {
  readonly fault: Fault;
  readonly plan: FaultPlan;
  left: number;
}

/** Stands before a handler and lets faults befall what goes through it, as planned. */
export interface FaultInjector {
  readonly handle: Handler;
  /** Plans a fault; what it returns takes it back. */
  readonly fault: (fault: Fault, plan?: FaultPlan) => () => void;
  /** How many requests each kind of fault has befallen. */
  readonly befallen: Readonly<Partial<Record<Fault['kind'], number>>>;
}

export function createFaultInjector(handle: Handler, world: World): FaultInjector {
  const planned = new Set<Planned>();
  const befallen: Partial<Record<Fault['kind'], number>> = {};
  const lastEvents = new Map<string, unknown>();
  const random = randomNumbers(world.config.seed);

  const draw = (request: Parameters<Handler>[0]): Fault | undefined => {
    for (const one of planned) {
      const { probability = 1, only = () => true } = one.plan;
      if (!only(request) || random() >= probability) continue;
      if (--one.left <= 0) planned.delete(one);
      befallen[one.fault.kind] = (befallen[one.fault.kind] ?? 0) + 1;
      return one.fault;
    }
    return undefined;
  };

  const remember: Handler = request =>
    handle(request).pipe(
      tap(({ body }) => {
        if (body.startsWith('{"events":[{'))
          lastEvents.set(request.headers.authorization ?? '', JSON.parse(body));
      }),
    );

  return {
    befallen,
    fault: (fault, plan = {}) => {
      if (!((plan.times ?? 1) > 0)) return () => undefined;
      const one: Planned = { fault, plan, left: plan.times ?? 1 };
      planned.add(one);
      return () => void planned.delete(one);
    },
    handle: request =>
      defer(() => {
        const fault = draw(request);
        if (!fault) return remember(request);
        return (
          insteadFault(fault, world) ??
          deliveryFault(fault, request, remember) ??
          editFault(fault, request, remember) ??
          habitFault(fault, request, remember, world, lastEvents.get(request.headers.authorization ?? ''))
        );
      }),
  };
}
