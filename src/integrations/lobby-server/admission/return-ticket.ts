import { createHash, randomBytes } from 'node:crypto';
import type { PresentedToken } from '../../../player/index.js';

/** The beginning of a return ticket. A ticket is never sent to the service. */
const PREFIX = 'return.';

export const isReturnTicket = (token: string): boolean => token.startsWith(PREFIX);

export const newReturnTicket = (): string => PREFIX + randomBytes(16).toString('base64url');

/**
 * Tickets are looked up by their hash, since the time of a look-up by the ticket itself could give
 * it away. A client's own ticket counts only with its token.
 */
export const hashOfTicket = (ticket: string): string => createHash('sha256').update(ticket).digest('base64');

/** The hash by which a player who presents this is looked up. */
export const hashOfPresented = ({ token, ownTicket }: PresentedToken): string =>
  hashOfTicket(ownTicket === undefined ? token : `${token} ${ownTicket}`);
