import type { GateSettings } from './gate-settings.js';
import type { Line } from './line.js';
import type { Visitor } from './visitor.js';

/** The visitor at the other end of a line that is open already, whose token is in a message. */
export function lineVisitor(
  line: Line,
  { address, url }: Pick<Visitor, 'address' | 'url'>,
  { log, scheduler }: GateSettings,
): Visitor {
  let isSettled = false;
  return {
    address,
    url,
    enter: () => {
      if (isSettled || !line.isOpen()) return undefined;
      isSettled = true;
      return line;
    },
    turnAway: ({ code, reason }) => {
      if (isSettled || !line.isOpen()) return;
      isSettled = true;
      line.dismiss(code, fitting(reason));
      log({ kind: 'refused', at: scheduler.now(), address, code, reason });
    },
  };
}

/** A close frame has room for 123 bytes, and a reason may be whatever code the service has. */
function fitting(reason: string): string {
  return Buffer.byteLength(reason) <= 123 ? reason : 'refused';
}
