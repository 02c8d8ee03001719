import type { Gap, GapReason } from './gap.js';

/** A gap as a signal of the watch. */
export function gapSignal(
  reason: GapReason,
  at: number,
  index: string | undefined,
): { readonly kind: 'gap'; readonly gap: Gap } {
  return { kind: 'gap', gap: { reason, at, index } };
}
