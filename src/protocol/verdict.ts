/**
 * What a failed poll means for its watch.
 *
 * - `idle`: nothing failed, there was only nothing new: poll on from the same index.
 * - `retry`: poll again after a while; `after` is the wait, in ms, that the service asked for. `suspect` says that the
 *   index may be the cause, and five such in a row drop it; `offline` that no connection could be made.
 * - `refused`: the request was refused; once more without the index, and where there was none, the watch ends.
 * - `end`: the watch ends with this error.
 */
export type Verdict =
  | { readonly kind: 'idle' | 'refused' | 'end' }
  | {
      readonly kind: 'retry';
      readonly after?: number | undefined;
      readonly suspect?: boolean;
      readonly offline?: boolean;
    };
