/** How one poll ended: with an answer, with none (there was nothing new), not in time, cut short by a wake, or failed. */
export type Outcome<A> =
  | { readonly kind: 'answer'; readonly answer: A; readonly askedAt: number }
  | { readonly kind: 'nothing' | 'deadline' | 'woken' }
  | { readonly kind: 'failure'; readonly error: unknown };
