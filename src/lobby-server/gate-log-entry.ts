/** What a gate decided, or what happened to a player. There is never a token in it. */
export type GateLogEntry =
  | { readonly kind: 'admitted'; readonly at: number; readonly address: string }
  | {
      readonly kind: 'refused';
      readonly at: number;
      readonly address: string;
      /** An HTTP status before the upgrade, or a close code after it. */
      readonly code: number;
      readonly reason: string;
      /** What `players.connected` failed with, if it did. */
      readonly error?: unknown;
    }
  | {
      /** A confirmed player left, or had left when the service said OK: then without a code. */
      readonly kind: 'gone';
      readonly at: number;
      readonly address: string;
      readonly code?: number;
      readonly reason?: string;
    }
  | {
      /** A hook of the config threw, or what it returned failed. */
      readonly kind: 'hook_failed';
      readonly at: number;
      readonly hook: string;
      /** The name of what it failed with, and the message where it is an error of this library. */
      readonly error: string;
    };
