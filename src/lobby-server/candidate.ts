import type { IncomingHttpHeaders } from 'node:http';
import type { Connection } from './connection.js';
import type { GateSettings } from './gate-settings.js';
import type { Refusal } from './refusal.js';

/** Someone whose token is still to be confirmed: he is accepted or rejected, once. */
export interface Candidate extends CandidateFacts {
  /** Accepts him; undefined where he has gone or been rejected meanwhile. */
  readonly accept: () => Connection | undefined;
  /** Tells him why not, and closes; does nothing where he has gone, or been accepted or rejected before. */
  readonly reject: (refusal: Refusal) => void;
}

/** What is known of him. */
export interface CandidateFacts {
  readonly address: string;
  /** The path and query that he asked for, without the token. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** How he can be reached: by an answer to his upgrade request, or on a connection that is open already. */
export interface CandidateWays {
  readonly isThere: () => boolean;
  readonly accept: () => Connection | undefined;
  /** Returns the status or close code that he is told. */
  readonly reject: (refusal: Refusal) => number;
}

export function createCandidate(
  facts: CandidateFacts,
  ways: CandidateWays,
  { log, scheduler }: Pick<GateSettings, 'log' | 'scheduler'>,
): Candidate {
  let isSettled = false;
  /** Whether it is still open what becomes of him; not any more afterwards. */
  const settle = () => {
    const isOpen = !isSettled && ways.isThere();
    isSettled = true;
    return isOpen;
  };
  return {
    ...facts,
    accept: () => (settle() ? ways.accept() : undefined),
    reject: refusal => {
      if (!settle()) return;
      const { reason, error } = refusal;
      const code = ways.reject(refusal);
      log({
        kind: 'refused',
        at: scheduler.now(),
        address: facts.address,
        code,
        reason,
        ...(error !== undefined && { error }),
      });
    },
  };
}
