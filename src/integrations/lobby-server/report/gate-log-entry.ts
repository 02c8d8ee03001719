import { answerBehind, isClientError, printable, redact, StatusError } from '../../../error/index.js';

/**
 * A decision of a gate, or something that happened to a player. It contains no tokens. `at` is in
 * ms since 1970.
 */
export type GateLogEntry =
  | {
      /** A player is in, or has come back on another connection. */
      readonly kind: 'admitted' | 'returned';
      readonly at: number;
      readonly address: string;
    }
  | {
      readonly kind: 'refused';
      readonly at: number;
      readonly address: string;
      /** An HTTP status before the upgrade, a close code after it. */
      readonly code: number;
      readonly reason: string;
      /**
       * The name of the error that led to it, and its message if it is an error of this library.
       */
      readonly error?: string;
    }
  | {
      /** The connection of a player has dropped. They may come back within `grace`. */
      readonly kind: 'away';
      readonly at: number;
      readonly address: string;
      readonly code: number;
      readonly reason: string;
    }
  | {
      /**
       * A confirmed player left. There is no code if they had already left when the service
       * answered OK.
       */
      readonly kind: 'left';
      readonly at: number;
      readonly address: string;
      readonly code?: number;
      readonly reason?: string;
      /** Their connection had dropped, and they have not come back. */
      readonly wasAway?: true;
    }
  | {
      /** `freeSlot` has completed, after this number of attempts. */
      readonly kind: 'freed';
      readonly at: number;
      readonly why: FreeSlotReason;
      readonly attempts: number;
    }
  | {
      /**
       * A call of `freeSlot` has failed, and is made again. Logged once for all slots, and again if
       * the error is another one, or has come back after a call that did not fail.
       */
      readonly kind: 'retrying';
      readonly at: number;
      readonly hook: 'freeSlot';
      /** The name of the error, and its message if it is an error of this library. */
      readonly error: string;
    }
  | {
      /**
       * A call of `freeSlot` has not ended for 30 s. Logged once for all slots, and again after a
       * slot has been freed.
       */
      readonly kind: 'slow';
      readonly at: number;
      readonly hook: 'freeSlot';
    }
  | {
      /**
       * A file of `slotFiles` was cut off, by a loss of power or a full disk. Its token is lost,
       * and the slot is not freed.
       */
      readonly kind: 'set_aside';
      readonly at: number;
      /** Where the file is now. */
      readonly file: string;
    }
  | {
      /**
       * The gate has ended, and each slot that was taken then has been freed, or could not be
       * freed.
       */
      readonly kind: 'drained';
      readonly at: number;
      readonly freed: number;
      readonly failed: number;
    }
  | {
      /**
       * A hook of the config threw, returned something invalid, or returned an Observable or a
       * promise that failed or did not end in time. `freeSlot`: the slot is given up, and the
       * service may still count the player. `slotFiles`: another process has started with the name
       * of this gate.
       */
      readonly kind: 'hook_failed';
      readonly at: number;
      readonly hook: string;
      /** The name of the error, and its message if it is an error of this library. */
      readonly error: string;
    }
  | {
      /**
       * The gate has asked about a token that nobody has issued. What answered was not the service,
       * or confirmed it. Until the service is proved, no token is sent, and players are refused
       * with `outcome_unknown`.
       */
      readonly kind: 'not_the_service';
      readonly at: number;
      /** What answered: the URL, and what it says of itself. */
      readonly error: string;
    }
  | {
      /**
       * Another listener of the server has answered an upgrade request of the gate, too. No client
       * understands two answers. Give the gate a `path` that nothing else answers. Logged once.
       */
      readonly kind: 'answered_twice';
      readonly at: number;
      readonly address: string;
    }
  | {
      /**
       * Most connections come from this one address. It is probably your proxy's. Then all players
       * share the limits of one address. Set `addressOf`. Logged once.
       */
      readonly kind: 'behind_proxy';
      readonly at: number;
      readonly address: string;
      /** The number of connections from this address. */
      readonly open: number;
    };

/**
 * Why a slot is freed.
 *
 * - `left`: its player has left.
 * - `unresolved`: the service's answer about the player was lost, and they have not come again.
 */
export type FreeSlotReason = 'left' | 'unresolved';

const MAX_LINE = 1_000;

/**
 * An error as a line of the log. Errors that are not of this library are logged by name only, since
 * hooks know tokens, and the messages of their errors may quote them. The service may quote a token
 * too, or a hook may put one into a URL.
 */
export function errorLine(error: unknown, token = ''): string {
  const clean = (text: string) => printable(redact(text, [token])).slice(0, MAX_LINE);
  try {
    const name = clean(String(error instanceof Error ? (error.name as unknown) : typeof error));
    if (!isClientError(error)) return name;
    const answer = answerBehind(error);
    if (!answer) return clean(`${name}: ${error.message}`);
    // Anew, since its message is cut, perhaps within the token.
    const { status, request, code = '', reason = '' } = answer;
    const { message } = new StatusError(status, request, { code: clean(code), reason: clean(reason) });
    return clean(`${answer.name}: ${message}`);
  } catch {
    return 'something unprintable';
  }
}
