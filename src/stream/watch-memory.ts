/** What one watch remembers of what it has delivered, to know it by where a service gives it again. */
export interface WatchMemory<A> {
  /** An answer without what has been delivered before; the same answer where nothing of it has. */
  readonly trim: (answer: A) => A;
  /** Remembers an answer, once it has been delivered and acknowledged. */
  readonly add: (answer: A) => void;
}
