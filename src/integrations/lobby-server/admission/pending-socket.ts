import type { GateSettings } from '../lobby-gate-config.js';
import type { LobbySocket } from '../lobby-socket.js';
import type { Connection } from '../socket/index.js';
import type { Refusal } from './refusal.js';

/** What the upgrade request says about the client. */
export type RequestDetails = Pick<LobbySocket, 'address' | 'url' | 'headers'>;

/** A client whose token is not confirmed yet. It is accepted or rejected exactly once. */
export interface PendingSocket extends RequestDetails {
  /** Accepts the client; undefined if it has disconnected, or has been accepted or rejected before. */
  readonly accept: () => Connection | undefined;
  /** Sends the reason and closes; does nothing if the client has disconnected, or has been accepted or rejected before. */
  readonly reject: (refusal: Refusal) => void;
}

/** How the client is answered: by the response to its upgrade request, or on a connection that is already open. */
export interface Responder {
  readonly isConnected: () => boolean;
  readonly accept: () => Connection | undefined;
  /** Returns the HTTP status or the close code that it sent. */
  readonly reject: (refusal: Refusal) => number;
}

/** Makes a responder answer at most once, and logs refusals. */
export function createPendingSocket(
  details: RequestDetails,
  responder: Responder,
  { log, scheduler }: Pick<GateSettings, 'log' | 'scheduler'>,
): PendingSocket {
  let isSettled = false;
  /** Settles it. Returns whether the client still has to be answered. */
  const settle = () => {
    const isPending = !isSettled && responder.isConnected();
    isSettled = true;
    return isPending;
  };
  return {
    ...details,
    accept: () => (settle() ? responder.accept() : undefined),
    reject: refusal => {
      if (!settle()) return;
      const { reason, error } = refusal;
      const code = responder.reject(refusal);
      log({
        kind: 'refused',
        at: scheduler.now(),
        address: details.address,
        code,
        reason,
        ...(error !== undefined && { error }),
      });
    },
  };
}
