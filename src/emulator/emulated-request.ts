/** A request as it reaches the emulator, from wherever. */
export interface EmulatedRequest {
  readonly method: string;
  /** The path with its query; a scheme and host before it are looked away from. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}
