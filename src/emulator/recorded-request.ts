/** A request that the emulator saw, and what became of it. */
export interface RecordedRequest {
  readonly method: string;
  /** The path, with the query behind it. */
  readonly url: string;
  /** The bearer token it came with. */
  readonly token: string | undefined;
  /** The body it came with, as text. */
  readonly body: string | undefined;
  /** When it came, in ms since 1970. */
  readonly at: number;
  /** The status it was answered with; absent while it is pending, or where it was aborted. */
  readonly status: number | undefined;
  /** Whether it waits for its answer. */
  readonly pending: boolean;
}
