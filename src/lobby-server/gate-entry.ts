/** What a gate decided. There is never a token in it. */
export type GateEntry =
  | { readonly kind: 'admitted'; readonly at: number; readonly address: string }
  | {
      readonly kind: 'refused';
      readonly at: number;
      readonly address: string;
      /** An HTTP status before the upgrade, or a close code after it. */
      readonly code: number;
      readonly reason: string;
    }
  | {
      /** A player left, or his socket had closed when the service said OK. */
      readonly kind: 'gone';
      readonly at: number;
      readonly address: string;
    }
  | {
      /** A hook of the config threw, or what it returned failed. */
      readonly kind: 'hook_failed';
      readonly at: number;
      readonly hook: string;
      readonly error: unknown;
    };
