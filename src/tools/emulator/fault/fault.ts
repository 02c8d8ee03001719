import type { Observable } from 'rxjs';
import { checkOptions, describe, InputError, type Check } from '../../../error/index.js';
import { jsonObject } from '../../../protocol/index.js';
import type { EmulatedRequest, EmulatedResponse } from '../service/index.js';
import type { World } from '../world/index.js';
import { deliveryFault, deliveryFaultFields, type DeliveryFault } from './delivery-fault.js';
import { editedAnswer, editedAnswerFields, type EditedAnswer } from './edited-answer.js';
import { replacedAnswer, replacedAnswerFields, type ReplacedAnswer } from './replaced-answer.js';
import { serverQuirk, serverQuirkFields, type ServerQuirk, type Upstream } from './server-quirk.js';

/**
 * A fault of a request. There are four families:
 * - {@link DeliveryFault}: the answer does not arrive intact.
 * - {@link ReplacedAnswer}: a different answer is sent.
 * - {@link EditedAnswer}: the answer is wrong.
 * - {@link ServerQuirk}: the server behaves in an odd way that some deployed servers show.
 *
 * @example
 * emulator.fault({ kind: 'rate_limited', wait: 5_000, form: 'date' });
 */
export type Fault = DeliveryFault | ReplacedAnswer | EditedAnswer | ServerQuirk;

const FIELDS: Readonly<Record<Fault['kind'], Readonly<Record<string, Check>>>> = {
  ...deliveryFaultFields,
  ...replacedAnswerFields,
  ...editedAnswerFields,
  ...serverQuirkFields,
};

/**
 * The kinds of all faults.
 *
 * @example
 * for (const kind of faultKinds) it(`survives ${kind}`, () => survives({ kind }));
 */
export const faultKinds: readonly Fault['kind'][] = Object.keys(FIELDS) as Fault['kind'][];

/** The names of all fields that some kind of fault has, besides `kind`. */
export const FAULT_FIELDS: readonly string[] = [
  ...new Set(Object.values(FIELDS).flatMap(fields => Object.keys(fields))),
];

const faultKind: Check = {
  name: `one of ${faultKinds.join(', ')}`,
  is: u => faultKinds.some(kind => kind === u),
};

/**
 * Throws an `InputError` if the kind of the fault is unknown, or if one of its fields is unknown or
 * invalid.
 */
export function checkFault(fault: Fault): void {
  if (!jsonObject.is(fault)) throw new InputError('fault', 'an object with a kind', describe(fault));
  if (!faultKind.is(fault.kind)) throw new InputError('fault.kind', faultKind.name, describe(fault.kind));
  checkOptions<object>(fault, { kind: faultKind, ...FIELDS[fault.kind] }, 'fault');
}

/** Answers a request that a fault affects. */
export function applyFault(
  fault: Fault,
  request: EmulatedRequest,
  upstream: Upstream,
  world: World,
): Observable<EmulatedResponse> {
  if (isDeliveryFault(fault)) return deliveryFault(fault, request, upstream.handle);
  if (isReplacedAnswer(fault)) return replacedAnswer(fault, world);
  if (isEditedAnswer(fault)) return editedAnswer(fault, request, upstream.handle);
  return serverQuirk(fault, request, upstream);
}

const isDeliveryFault = (fault: Fault): fault is DeliveryFault => fault.kind in deliveryFaultFields;
const isReplacedAnswer = (fault: Fault): fault is ReplacedAnswer => fault.kind in replacedAnswerFields;
const isEditedAnswer = (fault: Fault): fault is EditedAnswer => fault.kind in editedAnswerFields;
