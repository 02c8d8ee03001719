/** A request as an answer sees it: its endpoint found, its parts read. */
export interface Call {
  /** Path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: { get(name: string): string | null };
  /** The bearer token, if one was sent. */
  readonly bearer: string | undefined;
  /** The body, if it was JSON. */
  readonly body: unknown;
}
