import { createHash, randomBytes } from 'node:crypto';

/** What begins so is a return ticket, and is never sent to the service. */
const PREFIX = 'return.';

export const isReturnTicket = (token: string): boolean => token.startsWith(PREFIX);

export const newReturnTicket = (): string => PREFIX + randomBytes(16).toString('base64url');

/**
 * Tickets are looked up by their hash: how long that takes says nothing about the ticket itself.
 */
export const hashOfTicket = (ticket: string): string => createHash('sha256').update(ticket).digest('base64');
