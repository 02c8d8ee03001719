import type { Gap } from './gap.js';
import type { WatchStatus } from './watch-status.js';

/** Everything that happens in a watch, in order: an answer that brings something, a gap before it, a new status. */
export type WatchSignal<A> =
  | { readonly kind: 'answer'; readonly answer: A }
  | { readonly kind: 'gap'; readonly gap: Gap }
  | { readonly kind: 'status'; readonly status: WatchStatus };
