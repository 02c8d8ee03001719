/** How long to wait after a failure: a random time up to `initial · 2ⁿ`, and up to `max` at the most (full jitter). */
export interface BackoffConfig {
  /** The bound of the first wait, in ms. Default 500. */
  readonly initial?: number;
  /** The bound of any wait, in ms. Default 30,000. */
  readonly max?: number;
}
